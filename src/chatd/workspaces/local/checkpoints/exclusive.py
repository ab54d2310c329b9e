"""One at a time at a repository, also after a crash: git that outlives its server still holds the lock."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from chatd.workspaces.local.checkpoints.git import Git
from chatd.workspaces.local.checkpoints.repository import Repository
from chatd.workspaces.local.files.threads import Stop, Threads

T = TypeVar("T")

# How often it is tried again to take the lock from another process, or from a git that is about to end.
_LOCK_SECONDS = 0.02


class Session:
    """The time in which a repository is ours."""

    def __init__(self, program: str, repository: Repository, root: Path, threads: Threads, lock: int) -> None:
        self._program = program
        self._repository = repository
        self._root = root
        self._threads = threads
        self._lock = lock

    async def run(self, work: Callable[[Git], T]) -> T:
        """Do this in a thread. If we are cancelled, it is told so; the lock is held until it has ended."""
        lock = os.dup(self._lock)

        def locked(stop: Stop) -> T:
            try:
                return work(Git(self._program, self._repository.directory, self._root, stop=stop, lock=lock))
            finally:
                os.close(lock)

        return await self._threads.run(locked)


class Exclusive:
    """`root` is the work tree of the repository."""

    def __init__(self, program: str, repository: Repository, root: Path, threads: Threads) -> None:
        self._program = program
        self._repository = repository
        self._root = root
        self._threads = threads
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Waits for its turn. What an earlier process left unfinished is tidied up first."""
        async with self._turn:
            lock = self._open()
            try:
                await _lock(lock)
                await asyncio.to_thread(self._repository.tidy)
                yield Session(self._program, self._repository, self._root, self._threads, lock)
            finally:
                # The copies of threads and of programs hold it until they end.
                os.close(lock)

    def _open(self) -> int:
        # Beside the repository, which may be removed.
        path = self._repository.directory.with_suffix(".lock")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)


async def _lock(file: int) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(_LOCK_SECONDS)
        else:
            return
