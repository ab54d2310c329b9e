"""A disk of workspaces that outlives all processes, and remembers every change: when, where, by which call.

Its checkpoints keep what the promise of `chatd.workspaces.checkpoints` says, in memory. A process may die
between any two files that it brings back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from posixpath import join, normpath
from typing import NamedTuple

from chatd.domain.ids import CallId, ChatId, MessageId, Micros
from chatd.workspaces.checkpoints import (
    Announce,
    ChangedFile,
    Checkpoint,
    CheckpointError,
    Deed,
    Diff,
    Kept,
    Restored,
    Trouble,
)
from chatd.workspaces.files import (
    EditedFile,
    FileEdits,
    FileError,
    FileKind,
    FindQuery,
    Found,
    Line,
    Lines,
    Listing,
    Matches,
    Piece,
    Problem,
    SearchQuery,
    Stat,
    Written,
)
from chatd.workspaces.places import Places
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import NO_COMMANDS, Protection

ROOT = "/simulated"

# The files of a workspace, by their paths from its root.
Content = Mapping[str, bytes]


class CallName(NamedTuple):
    """A call of a chat, for good."""

    chat_id: ChatId
    message_id: MessageId
    call_id: CallId


class Change(NamedTuple):
    at: float
    directory: str
    path: str
    # All files of the workspace before it.
    before: Content
    # None: it was written by a tool that does not say so; its path tells.
    by: CallName | None


class BroughtBack(NamedTuple):
    """A restore that came to its end."""

    at: float
    chat_id: ChatId
    message_id: MessageId | None
    after: Content


class Disk:
    def __init__(self) -> None:
        self.contents: dict[str, dict[str, bytes]] = {}
        self.changes: list[Change] = []
        self.restores: list[BroughtBack] = []
        self.kept: dict[ChatId, dict[MessageId, Content]] = {}
        # Set when it is over.
        self._restoring: dict[str, asyncio.Event] = {}

    def at(self, directory: str) -> dict[str, bytes]:
        return self.contents.setdefault(directory, {})

    def put(self, directory: str, path: str, data: bytes, by: CallName | None = None) -> None:
        content = self.at(directory)
        self.changes.append(Change(_now(), directory, path, dict(content), by))
        content[path] = data

    def restore_at(self, directory: str) -> asyncio.Event | None:
        """The one under way."""
        return self._restoring.get(directory)

    @contextmanager
    def restoring(self, directory: str) -> Iterator[None]:
        """One at a time. It ends with its process, as a lock on a file does."""
        if directory in self._restoring:
            raise CheckpointError("Others bring files back at the moment.")
        self._restoring[directory] = asyncio.Event()
        try:
            yield
        finally:
            self._restoring.pop(directory).set()


class DiskPlaces(Places, frozen=True):
    """Every name is a directory of the disk."""

    def named(self, path: str) -> Path:
        return Path(ROOT) / path


PLACES = DiskPlaces(Path(ROOT), shared=True)


class DiskWorkspace:
    """A directory of the disk, as one process sees it. `moment` is one in which that may die."""

    def __init__(self, disk: Disk, directory: str, moment: Callable[[], Awaitable[None]]) -> None:
        self.files = DiskFiles(disk, directory, moment)
        self.checkpoints = DiskCheckpoints(disk, directory, moment)

    @property
    def processes(self) -> Processes:
        raise NotImplementedError

    @property
    def protection(self) -> Protection:
        return NO_COMMANDS


class DiskFiles:
    """As much of it as the tools of the stories use."""

    def __init__(self, disk: Disk, directory: str, moment: Callable[[], Awaitable[None]]) -> None:
        self._disk = disk
        self.root = directory
        self._moment = moment

    async def append(self, path: str, line: str, by: CallName) -> None:
        """For a tool that says who it is."""
        await self._moment()
        known = self._disk.at(self.root).get(path, b"")
        self._disk.put(self.root, path, known + line.encode() + b"\n", by)

    async def run_by_git(self) -> tuple[str, ...]:
        return ()

    async def resolve(self, path: str) -> str:
        return normpath(join(self.root, path))

    async def stat(self, path: str) -> Stat:
        data = self._data(path)
        return Stat(
            path=await self.resolve(path), kind=FileKind.FILE, size=len(data), mode=0o644, modified_ns=0
        )

    async def list(self, path: str, *, limit: int = 0) -> Listing:
        return Listing(path=await self.resolve(path), entries=())

    async def read(self, path: str, *, offset: int = 0, limit: int = 0) -> Piece:
        data = self._data(path)
        piece = data[offset : offset + limit]
        return Piece(path=await self.resolve(path), data=piece, offset=offset, file_size=len(data))

    async def read_lines(
        self, path: str, *, first: int = 1, count: int, line_bytes_max: int, bytes_max: int
    ) -> Lines:
        await self._moment()
        data = self._data(path)
        lines = data.splitlines()
        return Lines(
            path=await self.resolve(path),
            beginning=data,
            first=first,
            lines=tuple(Line(data=line) for line in lines[first - 1 : first - 1 + count]),
            file_size=len(data),
            total_lines=len(lines),
        )

    async def write(self, path: str, data: bytes, *, only_preview: bool = False) -> Written:
        await self._moment()
        created = path not in self._disk.at(self.root)
        if not only_preview:
            self._disk.put(self.root, path, data)
        return Written(path=await self.resolve(path), created=created, size=len(data))

    async def edit(self, files: Sequence[FileEdits], *, only_preview: bool = False) -> tuple[EditedFile, ...]:
        raise NotImplementedError

    async def find(self, query: FindQuery) -> Found:
        raise NotImplementedError

    async def search(self, query: SearchQuery) -> Matches:
        raise NotImplementedError

    def _data(self, path: str) -> bytes:
        data = self._disk.at(self.root).get(path)
        if data is None:
            raise FileError(Problem.MISSING, f"{path} does not exist.")
        return data


class DiskCheckpoints:
    def __init__(self, disk: Disk, directory: str, moment: Callable[[], Awaitable[None]]) -> None:
        self._disk = disk
        self._directory = directory
        self._moment = moment

    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        await self._moment()
        files = dict(self._disk.at(self._directory))
        self._disk.kept.setdefault(chat_id, {}).setdefault(message_id, files)

    async def settled(self) -> None:
        while (over := self._disk.restore_at(self._directory)) is not None:
            await over.wait()

    async def kept(self, chat_id: ChatId) -> Kept:
        taken = self._disk.kept.get(chat_id, {})
        return Kept(
            checkpoints=tuple(Checkpoint(message_id=each, taken_at=Micros(0)) for each in sorted(taken))
        )

    async def plan(self, chat_id: ChatId, message_id: MessageId | None, path: str | None = None) -> Restored:
        return Restored(files=tuple(self._differing(self._content(chat_id, message_id))))

    async def restore(
        self, chat_id: ChatId, message_id: MessageId | None, announce: Announce, path: str | None = None
    ) -> Restored:
        with self._disk.restoring(self._directory):
            wanted = self._content(chat_id, message_id)
            plan = Restored(files=tuple(self._differing(wanted)))
            if plan.files:
                await announce(plan)
            content = self._disk.at(self._directory)
            for file in plan.files:
                await self._moment()
                if file.path in wanted:
                    content[file.path] = wanted[file.path]
                else:
                    content.pop(file.path, None)
            self._disk.restores.append(BroughtBack(_now(), chat_id, message_id, dict(content)))
        return plan

    async def diff(
        self, chat_id: ChatId, since: MessageId, until: MessageId | None, path: str | None = None
    ) -> Diff:
        raise NotImplementedError

    def _content(self, chat_id: ChatId, message_id: MessageId | None) -> Content:
        taken = self._disk.kept.get(chat_id, {})
        later = [each for each in sorted(taken) if message_id is not None and each >= message_id]
        if not later:
            raise CheckpointError("Nothing is kept since then.", Trouble.NOTHING_KEPT)
        return taken[later[0]]

    def _differing(self, wanted: Content) -> Iterator[ChangedFile]:
        content = self._disk.at(self._directory)
        for path in sorted({*wanted, *content}):
            if wanted.get(path) != content.get(path):
                deed = Deed.ADDED if path not in content else Deed.CHANGED if path in wanted else Deed.REMOVED
                yield ChangedFile(path=path, deed=deed)


def _now() -> float:
    return asyncio.get_running_loop().time()
