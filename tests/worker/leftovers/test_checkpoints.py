"""What is kept of files for a chat goes with the chat."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.worker.chores import remove_expired_chats
from chatd.worker.leftovers.checkpoints import FIRST_LOOK_SECONDS, LOOK_SECONDS, forget_left_checkpoints
from chatd.workspaces.local.checkpoints.all_checkpoints import AllCheckpoints
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from chatd.workspaces.local.checkpoints.repository import REPOSITORY
from chatd.workspaces.local.files.threads import Threads
from tests.clock import HurriedClock, MovedClock
from tests.words import create, says, step, user

STAYS, GOES = ChatId("stays"), ChatId("goes")
PATIENCE_SECONDS = 60


class Kept:
    """Two workspaces. In the first both chats have changed something, in the second only one of them."""

    def __init__(self, path: Path) -> None:
        program = git_path()
        assert program is not None
        self.directory = path / "workspaces"
        self.all = AllCheckpoints(program, self.directory)
        self.points = []
        for name in ("shared", "alone"):
            (path / name).mkdir()
            self.points.append(
                LocalCheckpoints(
                    program, self.directory / name / REPOSITORY, path / name,
                    clock=HurriedClock(), threads=Threads(),
                )
            )  # fmt: skip
        self.roots = [path / "shared", path / "alone"]

    async def fill(self) -> None:
        for chat_id in (STAYS, GOES):
            (self.roots[0] / "file").write_bytes(os.urandom(100_000))
            await self.points[0].take(chat_id, MessageId(2))
        await self.points[1].take(GOES, MessageId(2))
        (self.roots[0] / "file").unlink()

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.directory.rglob("*") if path.is_file())

    async def until_forgotten(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            # Git is at it, in another thread.
            while GOES in await self.all.chats():  # noqa: ASYNC110
                await asyncio.sleep(0)


@asynccontextmanager
async def forgetting(store: Store, bus: MemoryBus, clock: MovedClock, kept: Kept) -> AsyncIterator[None]:
    await kept.fill()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(forget_left_checkpoints(store.db, bus, kept.all, clock))
        for chat_id in (STAYS, GOES):
            await create_chat(store, create(user("hello"), chat_id=chat_id, temporary=chat_id is GOES))
        await asyncio.sleep(0)
        yield
        task.cancel()


async def test_a_deleted_chat_takes_its_checkpoints_along_and_leaves_those_of_others(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    kept = Kept(tmp_path)
    async with forgetting(store, bus, clock, kept):
        await delete_chat(store, GOES)
        await kept.until_forgotten()

    assert await kept.all.chats() == {STAYS}
    # What nothing is kept of has no repository.
    assert [path.parent.name for path in kept.directory.glob(f"*/{REPOSITORY}")] == ["shared"]
    # The content of the other chat is gone from the disk.
    assert 100_000 < kept.size < 150_000
    await kept.points[1].take(STAYS, MessageId(4))


async def test_a_temporary_chat_whose_time_is_over_is_forgotten(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    kept = Kept(tmp_path)
    async with forgetting(store, bus, clock, kept):
        await transact(store, GOES, step(says("hi")), FinishTurn())
        await clock.advance(2 * 3600)
        await remove_expired_chats(store, HurriedClock())
        await kept.until_forgotten()

    assert await kept.all.chats() == {STAYS}


async def test_what_a_crash_left_behind_is_found_after_the_next_start_and_then_every_hour(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    kept = Kept(tmp_path)
    async with forgetting(store, bus, clock, kept):
        await delete_chat(Store(store.db, MemoryBus()), GOES)
        await clock.advance(FIRST_LOOK_SECONDS)
        await kept.until_forgotten()

        await kept.points[0].take(GOES, MessageId(9))
        await clock.advance(LOOK_SECONDS)
        await kept.until_forgotten()

    assert await kept.all.chats() == {STAYS}


async def test_a_repository_that_cannot_be_opened_stands_in_no_other_ones_way(
    store: Store, bus: MemoryBus, clock: MovedClock, tmp_path: Path
) -> None:
    kept = Kept(tmp_path)
    async with forgetting(store, bus, clock, kept):
        (kept.directory / "alone" / REPOSITORY).with_suffix(".lock").unlink()
        (kept.directory / "alone" / REPOSITORY).with_suffix(".lock").mkdir()
        await delete_chat(store, GOES)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await kept.points[0].kept(GOES)).checkpoints:  # noqa: ASYNC110
                await asyncio.sleep(0)

    assert (await kept.points[1].kept(GOES)).checkpoints
