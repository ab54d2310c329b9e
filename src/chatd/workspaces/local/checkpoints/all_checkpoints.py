"""The checkpoints of all local workspaces of a data directory, for what concerns no single one."""

import asyncio
import shutil
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

import structlog

from chatd.domain.ids import ChatId
from chatd.workspaces.local.checkpoints.exclusive import Exclusive
from chatd.workspaces.local.checkpoints.git import Git, GitError
from chatd.workspaces.local.checkpoints.repository import REPOSITORY, Repository
from chatd.workspaces.local.checkpoints.room import prune
from chatd.workspaces.local.files.threads import Threads

log = structlog.get_logger()

# An agent that wants to keep files waits meanwhile, and not much longer than this.
FORGET_SECONDS_MAX = 20.0


class AllCheckpoints:
    """`program` is git, `directory` where each workspace has a directory of its own.

    Without git nothing is kept, and what was kept before stays until git is there again.
    """

    def __init__(self, program: str | None, directory: Path) -> None:
        self._program = program
        self._directory = directory

    async def chats(self) -> frozenset[ChatId]:
        """Those of which something is kept."""
        return await asyncio.to_thread(self._chats)

    async def forget(self, chat_ids: Collection[ChatId]) -> None:
        """Keep nothing of these chats any more. What cannot be done now is logged, for another time."""
        if self._program is None:
            return
        threads = Threads()
        try:
            for repository in await asyncio.to_thread(self._with_any, chat_ids):
                # No file of the workspace is needed, which may be gone.
                exclusive = Exclusive(self._program, repository, repository.directory, threads)
                await self._forget_in(repository, exclusive, chat_ids)
        finally:
            threads.close()

    async def _forget_in(
        self, repository: Repository, exclusive: Exclusive, chat_ids: Collection[ChatId]
    ) -> None:
        try:
            async with asyncio.timeout(FORGET_SECONDS_MAX), exclusive.session() as session:
                await session.run(partial(_forget, repository, chat_ids))
        except (TimeoutError, GitError, OSError) as error:
            log.warning("checkpoints.not_forgotten", directory=str(repository.directory), error=str(error))

    def _chats(self) -> frozenset[ChatId]:
        return frozenset(chat_id for repository in self._repositories() for chat_id in repository.chats())

    def _with_any(self, chat_ids: Collection[ChatId]) -> list[Repository]:
        return [each for each in self._repositories() if not {*each.chats()}.isdisjoint(chat_ids)]

    def _repositories(self) -> Iterator[Repository]:
        return map(Repository, sorted(self._directory.glob(f"*/{REPOSITORY}")))


def _forget(repository: Repository, chat_ids: Collection[ChatId], git: Git) -> None:
    for chat_id in chat_ids:
        repository.remove_chat(chat_id)
    if any(repository.chats()):
        # The index has the files of the last checkpoint, whose it may have been. The next one makes it anew.
        repository.forget_index()
        prune(git)
    else:
        shutil.rmtree(repository.directory)
