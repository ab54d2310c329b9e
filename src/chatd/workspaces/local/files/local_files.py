"""The files of a directory on this machine."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from chatd.workspaces.files import (
    LIST_ENTRIES_MAX,
    READ_BYTES_MAX,
    EditedFile,
    FileEdits,
    FindQuery,
    Found,
    Lines,
    Listing,
    Matches,
    Piece,
    SearchQuery,
    Stat,
    Written,
)
from chatd.workspaces.local.files import reading, writing
from chatd.workspaces.local.files.confined import Root
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.git.run_by_git import GitLook
from chatd.workspaces.local.search import ripgrep, search


class LocalFiles:
    """Implements `Files`. Everything that may block is done in threads."""

    def __init__(self, root: Path, threads: Threads) -> None:
        self._root = Root(root)
        self._threads = threads
        self._git = GitLook(Path(self._root.path), lambda work: threads.run(lambda _: work()))
        self._ripgrep = ripgrep.find_program()
        # A model may ask for several edits of one file at once: each is to see the result of the one before.
        self._changing = asyncio.Lock()

    @property
    def root(self) -> str:
        return self._root.path

    async def run_by_git(self) -> tuple[str, ...]:
        found = await self._git.look()
        paths = (*found.directories, *found.fixed, *found.missing)
        return tuple(str(path.relative_to(self.root)) for path in paths)

    async def resolve(self, path: str) -> str:
        def work(_: object) -> str:
            with self._root.place(path) as place:
                return self._root.absolute(place)

        return await self._threads.run(work)

    async def stat(self, path: str) -> Stat:
        return await self._threads.run(lambda _: reading.read_stat(self._root, path))

    async def list(self, path: str, *, limit: int = LIST_ENTRIES_MAX) -> Listing:
        bound = max(1, min(limit, LIST_ENTRIES_MAX))
        return await self._threads.run(lambda stop: reading.list_directory(self._root, path, bound, stop))

    async def read(self, path: str, *, offset: int = 0, limit: int = READ_BYTES_MAX) -> Piece:
        bound = max(0, min(limit, READ_BYTES_MAX))
        return await self._threads.run(lambda stop: reading.read_range(self._root, path, offset, bound, stop))

    async def read_lines(
        self, path: str, *, first: int = 1, count: int, line_bytes_max: int, bytes_max: int
    ) -> Lines:
        return await self._threads.run(
            lambda stop: reading.read_some_lines(
                self._root, path, max(1, first), count, line_bytes_max, bytes_max, stop
            )
        )

    async def write(self, path: str, data: bytes, *, only_preview: bool = False) -> Written:
        async with self._changing:
            return await self._threads.run(
                lambda stop: writing.write_file(self._root, path, data, stop, only_preview=only_preview)
            )

    async def edit(self, files: Sequence[FileEdits], *, only_preview: bool = False) -> tuple[EditedFile, ...]:
        async with self._changing:
            return await self._threads.run(
                lambda stop: writing.edit_files(self._root, files, stop, only_preview=only_preview)
            )

    async def find(self, query: FindQuery) -> Found:
        return await self._threads.run(lambda stop: search.find_files(self._root, self._ripgrep, query, stop))

    async def search(self, query: SearchQuery) -> Matches:
        return await self._threads.run(
            lambda stop: search.search_files(self._root, self._ripgrep, query, stop)
        )
