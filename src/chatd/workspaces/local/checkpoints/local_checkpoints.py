"""Checkpoints of a directory, as commits in a repository of our own beside it.

The repository is in the data directory. It has the files that git would take: not those that a `.gitignore`
excludes, nor repositories inside of the workspace, nor very large files. A restore leaves them alone.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISDIR

from chatd.domain.ids import ChatId, MessageId
from chatd.workspaces.checkpoints import (
    CHANGED_FILES_MAX,
    CHECKPOINTS_MAX,
    DIFF_BYTES_MAX,
    ChangedFile,
    CheckpointError,
    Deed,
    Diff,
    Restored,
)
from chatd.workspaces.local.checkpoints.git import Git, GitError, words
from chatd.workspaces.local.checkpoints.put_back import put_file, put_link, remove

FILE_BYTES_MAX = 16 * 1024 * 1024
# In one checkpoint, on top of the one before.
FILES_MAX = 200_000

_UNDO = "undo"
_DEEDS = {"A": Deed.ADDED, "D": Deed.REMOVED}
_LINK, _EXECUTABLE, _REGULAR = "120000", "100755", "100644"


class LocalCheckpoints:
    """`program` is git, `directory` where our repository is or will be, `root` the workspace."""

    def __init__(
        self,
        program: str,
        directory: Path,
        root: Path,
        *,
        kept_max: int = CHECKPOINTS_MAX,
        file_bytes_max: int = FILE_BYTES_MAX,
        diff_bytes_max: int = DIFF_BYTES_MAX,
    ) -> None:
        self._git = Git(program, directory, root)
        self._directory = directory
        self._root = root
        self._kept_max = kept_max
        self._file_bytes_max = file_bytes_max
        self._diff_bytes_max = diff_bytes_max
        # One change of our repository at a time: its index is one file.
        self._turn = asyncio.Lock()

    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        async with self._turn:
            try:
                await self._begin()
                if message_id in await self._kept(chat_id):
                    return
                await self._git("update-ref", _name(chat_id, f"{message_id:012}"), await self._snapshot())
                await self._forget_old(chat_id)
            except GitError as error:
                raise CheckpointError(f"The files could not be kept: {error}") from error

    async def kept(self, chat_id: ChatId) -> Sequence[MessageId]:
        async with self._turn:
            return await self._kept(chat_id) if self._has_begun else ()

    async def restore(self, chat_id: ChatId, message_id: MessageId | None) -> Restored:
        async with self._turn:
            try:
                target = await self._before(chat_id, message_id)
                now = await self._snapshot()
                changed = await self._changed(now, target)
                await self._git("update-ref", _name(chat_id, _UNDO), now)
                await self._put_back(target, changed)
            except GitError as error:
                raise CheckpointError(f"The files could not be brought back: {error}") from error
            return Restored(files=changed)

    async def diff(self, chat_id: ChatId, since: MessageId, until: MessageId | None) -> Diff:
        async with self._turn:
            try:
                before = await self._before(chat_id, since)
                after = await self._snapshot() if until is None else await self._until(chat_id, until)
                changed = await self._changed(before, after)
                text = await self._text(before, after)
            except GitError as error:
                raise CheckpointError(f"The changes could not be found out: {error}") from error
            return Diff(files=changed, text=text or "", too_long=text is None)

    async def forget(self, chat_id: ChatId) -> None:
        async with self._turn:
            if self._has_begun:
                names = await self._git("for-each-ref", "--format=%(refname)", _name(chat_id))
                await self._remove(names.decode().split())
                await self._git("gc", "--quiet", "--prune=now")

    @property
    def _has_begun(self) -> bool:
        return (self._directory / "HEAD").exists()

    async def _begin(self) -> None:
        if not self._has_begun:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            await self._git("init", "--quiet", "--template=")

    async def _kept(self, chat_id: ChatId) -> list[MessageId]:
        printed = await self._git("for-each-ref", "--format=%(refname:lstrip=3)", _name(chat_id))
        return [MessageId(int(word)) for word in printed.decode().split() if word != _UNDO]

    async def _before(self, chat_id: ChatId, message_id: MessageId | None) -> str:
        """The checkpoint that has the files as they were before this message."""
        if not self._has_begun:
            raise CheckpointError("Nothing was changed in this workspace yet.")
        if message_id is None:
            return await self._before_last_restore(chat_id)
        found = [each for each in await self._kept(chat_id) if each >= message_id]
        if not found:
            raise CheckpointError("This chat has changed no file from this message on.")
        return await self._commit(_name(chat_id, f"{found[0]:012}"))

    async def _commit(self, name: str) -> str:
        return (await self._git("rev-parse", "--verify", f"{name}^{{commit}}")).decode().strip()

    async def _before_last_restore(self, chat_id: ChatId) -> str:
        name = _name(chat_id, _UNDO)
        if not await self._git("for-each-ref", name):
            raise CheckpointError("No files of this chat were restored, so nothing can be taken back.")
        return await self._commit(name)

    async def _until(self, chat_id: ChatId, message_id: MessageId) -> str:
        found = [each for each in await self._kept(chat_id) if each >= message_id]
        return _name(chat_id, f"{found[0]:012}") if found else await self._snapshot()

    async def _snapshot(self) -> str:
        """A commit with the files as they are now."""
        listed = await self._git(
            "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"
        )
        # A repository inside of the workspace ends with a slash.
        paths = [path for path in dict.fromkeys(words(listed)) if not path.endswith("/")]
        if len(paths) > FILES_MAX:
            raise GitError(f"there are more than {FILES_MAX} new files.")
        kept = await asyncio.to_thread(self._keepable, paths)
        if gone := [path for path in paths if path not in kept]:
            await self._git("update-index", "--force-remove", "-z", "--stdin", given=_lines(gone))
        if kept:
            await self._git("update-index", "--add", "--replace", "-z", "--stdin", given=_lines(list(kept)))
        tree = (await self._git("write-tree")).decode().strip()
        return (await self._git("commit-tree", tree, "-m", "checkpoint")).decode().strip()

    def _keepable(self, paths: Sequence[str]) -> dict[str, None]:
        """Those that are there, are not behind a symbolic link, and are not too large."""
        folders: dict[str, bool] = {}
        kept: dict[str, None] = {}
        for path in paths:
            folder = path.rpartition("/")[0]
            if folder not in folders:
                folders[folder] = os.path.realpath(self._root / folder) == str(self._root / folder)
            try:
                found = os.lstat(self._root / path)
            except OSError:
                continue
            if folders[folder] and not S_ISDIR(found.st_mode) and found.st_size <= self._file_bytes_max:
                kept[path] = None
        return kept

    async def _changed(self, before: str, after: str) -> tuple[ChangedFile, ...]:
        printed = words(
            await self._git("diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after)
        )
        files = tuple(
            ChangedFile(path=path, deed=_DEEDS.get(status, Deed.CHANGED))
            for status, path in zip(printed[::2], printed[1::2], strict=True)
        )
        if len(files) > CHANGED_FILES_MAX:
            raise CheckpointError(
                f"{len(files)} files differ; at most {CHANGED_FILES_MAX} can be dealt with."
            )
        return files

    async def _text(self, before: str, after: str) -> str | None:
        """None: it is too long."""
        try:
            found = await self._git(
                "diff-tree", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", before, after,
                bytes_max=self._diff_bytes_max,
            )  # fmt: skip
        except GitError as error:
            if "printed more" in str(error):
                return None
            raise
        return found.decode(errors="replace")

    async def _put_back(self, target: str, changed: Sequence[ChangedFile]) -> None:
        """Removed first: where a file was, there may have been a directory."""
        for file in changed:
            if file.deed is Deed.REMOVED:
                await asyncio.to_thread(remove, self._root, file.path)
        wanted = {file.path for file in changed if file.deed is not Deed.REMOVED}
        if not wanted:
            return
        for line in words(await self._git("ls-tree", "-r", "-z", "--full-tree", target)):
            about, _, path = line.partition("\t")
            if path in wanted:
                mode, _, blob = about.split()
                await self._put(path, mode, await self._git("cat-file", "blob", blob))

    async def _put(self, path: str, mode: str, data: bytes) -> None:
        if mode == _LINK:
            await asyncio.to_thread(put_link, self._root, path, os.fsdecode(data))
        elif mode in (_EXECUTABLE, _REGULAR):
            await asyncio.to_thread(put_file, self._root, path, data, executable=mode == _EXECUTABLE)

    async def _forget_old(self, chat_id: ChatId) -> None:
        kept = await self._kept(chat_id)
        await self._remove([_name(chat_id, f"{each:012}") for each in kept[: -self._kept_max]])

    async def _remove(self, names: Sequence[str]) -> None:
        if names:
            deleted = "".join(f"delete {name}\n" for name in names)
            await self._git("update-ref", "--stdin", given=deleted.encode())


def _name(chat_id: ChatId, word: str = "") -> str:
    """Hex: what a chat is called must not be able to name another place."""
    return "/".join(filter(None, ("refs/chats", chat_id.encode().hex(), word)))


def _lines(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
