"""Chats of which a row cannot be read, or is locked, stand in no other chat's way."""

from collections.abc import Callable, Mapping

import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from chatd.agent.metrics import LEFT_OUT, LOCKED
from chatd.domain.chat import Lease
from chatd.domain.ids import ChatId, RunnerId
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.storage.transactions.transact import create_chat, transact
from chatd.worker.left_out import LOCKED_SECONDS
from chatd.worker.worker import LOOK_SECONDS, TAKEN_AT_ONCE_MAX
from tests.words import create, user
from tests.worker.worlds.absence import AwayWorld, tell_away
from tests.worker.worlds.world import World

HEALTHY = ChatId("healthy")
DAMAGED = [ChatId(f"damaged {n:02}") for n in range(TAKEN_AT_ONCE_MAX + 5)]

# Each of these is read when a chat is locked.
DAMAGE: Mapping[str, str] = {
    "chat": "UPDATE chats SET projection = '{' WHERE id LIKE 'damaged%';",
    "projection": "UPDATE chats SET projection = '[]' WHERE id LIKE 'damaged%';",
}
MEND = "UPDATE chats SET projection = (SELECT projection FROM chats WHERE id = 'healthy');"


async def create_silently(world: World, chat_id: ChatId) -> None:
    """Without a hint: it has to be found."""
    await create_chat(world.silent_store, create(user("say Hi."), chat_id=chat_id))


async def damage(world: World, kind: str = "chat") -> None:
    await world.db.write(lambda tx: tx.script(DAMAGE[kind]))


def serious(play: Callable[[], object]) -> list[EventDict]:
    structlog.reset_defaults()
    with capture_logs() as lines:
        play()
    return [line for line in lines if line["log_level"] in ("warning", "error")]


def test_a_chat_behind_many_that_cannot_be_read_is_found_and_each_of_these_is_logged_once() -> None:
    async def story(world: AwayWorld) -> None:
        # While it is away, so that the worker finds all of them as they are in the end.
        world.leaving.away = True
        for chat_id in DAMAGED:
            await create_silently(world, chat_id)
        await create_silently(world, HEALTHY)
        await damage(world)
        world.leaving.away = False
        began = world.clock.now_micros()
        await world.until_idle(HEALTHY)

        assert (world.clock.now_micros() - began) / 1_000_000 < 10
        assert LEFT_OUT._value.get() == len(DAMAGED)
        await world.clock.sleep(300)

    lines = serious(lambda: tell_away(story))
    left_out = [line["chat_id"] for line in lines if line["event"] == "chat.left_out"]
    assert sorted(left_out) == DAMAGED
    assert {line["event"] for line in lines} <= {"chat.left_out", "taking.failed", "beat.failed"}


def test_a_chat_that_was_mended_is_taken_within_a_minute() -> None:
    async def story(world: AwayWorld) -> None:
        world.leaving.away = True
        await create_silently(world, DAMAGED[0])
        await create_silently(world, HEALTHY)
        await damage(world, "projection")
        world.leaving.away = False
        await world.until_idle(HEALTHY)
        await world.clock.sleep(600)
        await world.db.write(lambda tx: tx.script(MEND))
        await world.clock.sleep(61)
        await world.until_idle(DAMAGED[0])

        assert LEFT_OUT._value.get() == 0

    tell_away(story)


def test_a_lost_chat_is_found_beside_one_of_ours_that_cannot_be_read() -> None:
    """Both are ours as far as the database knows; of one of them the worker never heard that it got it."""

    async def story(world: AwayWorld) -> None:
        world.leaving.away = True
        await create_silently(world, DAMAGED[0])
        ours = Acquire(lease=Lease(world.worker_ids[0], RunnerId("lost")))
        await transact(world.silent_store, DAMAGED[0], ours)
        await damage(world)
        world.leaving.away = False
        world.leaving.unanswered, world.leaving.unanswered_kind = 1, Acquire
        await create_silently(world, HEALTHY)
        began = world.clock.now_micros()
        await world.until_idle(HEALTHY)

        assert (world.clock.now_micros() - began) / 1_000_000 < 5
        assert world.leaving.unanswered == 0

    tell_away(story)


def test_a_chat_whose_row_is_locked_keeps_no_other_chat_waiting_and_is_taken_when_it_is_free() -> None:
    async def story(world: AwayWorld) -> None:
        stuck = ChatId("a stuck one, which is found first")
        world.leaving.locked.add(stuck)
        await create_silently(world, stuck)
        await create_silently(world, HEALTHY)
        await world.until_idle(HEALTHY)

        await world.clock.sleep(60)
        world.leaving.locked.clear()
        began = world.clock.now_micros()
        await world.until_idle(stuck)
        # However long it was locked.
        assert (world.clock.now_micros() - began) / 1_000_000 < LOCKED_SECONDS + LOOK_SECONDS + 1

    before = LOCKED._value.get()
    assert serious(lambda: tell_away(story)) == []
    assert LOCKED._value.get() > before
