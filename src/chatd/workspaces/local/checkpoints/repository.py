"""Our repository as files: its refs, and the few objects that we write ourselves.

A checkpoint is a tree with two entries: `files`, as git has them, and `manifest`, which has what git does not
keep. Refs name trees; there are no commits. Nothing is ever packed, so a ref is a file and an object is a
file, and most of what we ask needs no program.

    refs/chats/<chat in hex>/<message>-<micros>     a checkpoint
    refs/chats/<chat in hex>/undo                   the files as they were before the last restore
    refs/chats/<chat in hex>/restoring              a restore under way: a tree with `from` and `to`
"""

import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from secrets import token_hex

from chatd.domain.ids import ChatId, MessageId, Micros
from chatd.workspaces.checkpoints import Checkpoint

# Among what is kept of a workspace.
REPOSITORY = "checkpoints.git"

UNDO, RESTORING = "undo", "restoring"

# A restore writes files under such a name before it moves them to their place.
SCRATCH = ".chatd-restore-"
# What is needed for a moment: a file that is not whole yet, and the rules of another tree.
_NEW, RULES = "new-", "rules-"

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
# Files are kept byte by byte: no attribute of the workspace converts line ends, encodings or keywords, and
# none hides a file from a diff. These count more than any `.gitattributes`.
_ATTRIBUTES = "* -text !eol -ident -filter !working-tree-encoding !diff\n"
_HEAD = "ref: refs/heads/none\n"
_EXCLUDE = f"{SCRATCH}*\n"


class Repository:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._chats = directory / "refs" / "chats"

    @property
    def exists(self) -> bool:
        return (self.directory / "HEAD").exists()

    @property
    def no_index(self) -> Path:
        """An index that never exists, for git to begin with nothing."""
        return self.directory / "no-index"

    def make(self, root: Path) -> None:
        """If it is not there yet. HEAD comes last: one that was not made to its end is made again."""
        if self.exists:
            return
        # One by one: the mode counts for the last of several only.
        for folder in ("", "info", "objects", "refs", "refs/chats"):
            (self.directory / folder).mkdir(mode=0o700, exist_ok=True)
        self._write("config", _CONFIG)
        self._write("info/attributes", _ATTRIBUTES)
        self._write("info/exclude", _EXCLUDE)
        # For operators, who wonder whose repository this is.
        self._write("workspace", f"{root}\n")
        self._write("HEAD", _HEAD)

    def tidy(self) -> None:
        """Remove what a process that was killed has left. To be called by the holder of our own lock only."""
        (self.directory / "index.lock").unlink(missing_ok=True)
        for name in _listed(self.directory):
            if name.startswith(_NEW):
                (self.directory / name).unlink(missing_ok=True)
            elif name.startswith(RULES):
                shutil.rmtree(self.directory / name, ignore_errors=True)

    def forget_index(self) -> None:
        """The next snapshot reads every file."""
        (self.directory / "index").unlink(missing_ok=True)

    def chats(self) -> Iterator[ChatId]:
        """Those that have something here."""
        for name in _listed(self._chats):
            with suppress(ValueError):
                yield ChatId(bytes.fromhex(name).decode())

    def checkpoints(self, chat_id: ChatId) -> dict[Checkpoint, str]:
        """With the names of their refs, the oldest message first."""
        found = {}
        for name in sorted(_listed(self._folder(chat_id))):
            message, dash, micros = name.partition("-")
            if dash and message.isdecimal() and micros.isdecimal():
                found[Checkpoint(message_id=MessageId(int(message)), taken_at=Micros(int(micros)))] = name
        return found

    def read_ref(self, chat_id: ChatId, name: str) -> str | None:
        """The tree that it names."""
        try:
            return (self._folder(chat_id) / name).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None

    def write_ref(self, chat_id: ChatId, name: str, tree: str) -> None:
        folder = self._folder(chat_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write(str((folder / name).relative_to(self.directory)), f"{tree}\n")

    def remove_ref(self, chat_id: ChatId, name: str) -> None:
        (self._folder(chat_id) / name).unlink(missing_ok=True)

    def remove_chat(self, chat_id: ChatId) -> None:
        folder = self._folder(chat_id)
        for name in _listed(folder):
            (folder / name).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            folder.rmdir()

    def write_blob(self, data: bytes) -> str:
        return self._write_object("blob", data)

    def write_tree(self, entries: Mapping[str, tuple[str, str]]) -> str:
        """Of names, each with the mode and the id of what it names."""
        data = b"".join(
            f"{mode} {name}".encode() + b"\0" + bytes.fromhex(object_id)
            for name, (mode, object_id) in sorted(entries.items())
        )
        return self._write_object("tree", data)

    def size_bytes(self) -> int:
        """What its objects take on the disk."""
        total = 0
        for folder in _listed(self.directory / "objects"):
            with (
                suppress(NotADirectoryError, FileNotFoundError),
                os.scandir(self.directory / "objects" / folder) as entries,
            ):
                for entry in entries:
                    with suppress(FileNotFoundError):
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        return total

    def _folder(self, chat_id: ChatId) -> Path:
        """Hex: what a chat is called must not be able to name another place."""
        return self._chats / chat_id.encode().hex()

    def _write_object(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}".encode() + b"\0" + data
        name = sha1(whole, usedforsecurity=False).hexdigest()
        path = self.directory / "objects" / name[:2] / name[2:]
        if not path.exists():
            path.parent.mkdir(mode=0o700, exist_ok=True)
            self._write(str(path.relative_to(self.directory)), zlib.compress(whole, 1))
        return name

    def _write(self, place: str, data: str | bytes) -> None:
        """Whole, or not at all."""
        scratch = self.directory / f"{_NEW}{token_hex(8)}"
        scratch.write_bytes(data.encode() if isinstance(data, str) else data)
        scratch.replace(self.directory / place)


def ref_name(message_id: MessageId, now: Micros) -> str:
    return f"{message_id:019}-{now}"


def _listed(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
