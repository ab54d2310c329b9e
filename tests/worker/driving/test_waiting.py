"""Chats that wait for a client or a person: they hold a row, and neither a runner nor a slot."""

import asyncio
from pathlib import Path

import pytest

from chatd.domain.chat import Reason, Status
from chatd.domain.ids import SECOND, CallId, ChatId, MessageId
from chatd.domain.limits import BEAT_SECONDS
from chatd.domain.transitions.calls.submit_actions import Result, SubmitActions
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.migrate import migrate
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, create_chat
from chatd.worker.worker import FOLLOWED_BYTES_MAX, LOOK_SECONDS
from tests.support.virtual import VirtualClock, run_virtually
from tests.words import CLIENT_TOOL, OWNER, create, said, send, user
from tests.worker.worlds.world import CHAT, World, tell

ASKS = f"call @tab {CLIENT_TOOL} {{}}\nnext\nsay Then not."
MINUTE = 60


async def waiting(world: World, chat_id: ChatId = CHAT) -> None:
    await world.until(lambda chat: chat.status is Status.REQUIRES_ACTION, chat_id)
    # Whatever is still under way after the commit has ended.
    await world.clock.sleep(LOOK_SECONDS)


def test_a_chat_that_waits_for_a_slot_has_not_read_its_history_yet() -> None:
    async def story(world: World) -> None:
        await world.start("stream 20 words at 10 per second")
        await world.until_said(" ")
        other = ChatId("other")
        await world.start("say Me too.", other)
        await world.until(lambda chat: chat.lease is not None, other)

        hold = world.workers[0]._runners[other].hold
        await world.clock.sleep(1)
        assert len(hold.memory) == 0

        await world.until_idle(other)
        assert await world.transcript(other) == ["user: say Me too.", "assistant: Me too."]

    tell(story, slots=1)


@pytest.mark.parametrize(("words", "held"), [("say Me too.", 1), ("# " + "x" * FOLLOWED_BYTES_MAX, 0)])
def test_a_chat_that_waits_for_a_slot_holds_only_a_short_message(words: str, held: int) -> None:
    async def story(world: World) -> None:
        await world.start("stream 20 words at 10 per second")
        await world.until_said(" ")
        other, worker = ChatId("other"), world.workers[0]
        await create_chat(Store(world.db, world.bus, driver=worker), create(user(words), chat_id=other))

        hold = worker._runners[other].hold
        await world.clock.sleep(1)
        assert len(hold.memory) == held

        await world.until_idle(other)

    tell(story, slots=1)


def test_a_turn_that_is_over_leaves_no_history_behind_with_its_runner() -> None:
    async def story(world: World) -> None:
        await world.start("stream 20 words at 10 per second")
        await world.until_said(" ")
        hold = world.workers[0]._runners[CHAT].hold
        assert len(hold.memory) > 0

        await world.until_idle()
        await world.clock.sleep(1)
        assert len(hold.memory) == 0

    tell(story)


def test_a_chat_that_waits_for_its_client_has_no_worker() -> None:
    async def story(world: World) -> None:
        await world.start(ASKS)
        await waiting(world)

        chat = (await world.stored()).chat
        assert chat.deadline_at is not None
        assert chat.lease is None

    tell(story)


def test_a_chat_that_waits_is_not_touched_until_its_deadline() -> None:
    async def story(world: World) -> None:
        await world.start(ASKS)
        await waiting(world)
        before = (await world.stored()).chat

        await world.clock.sleep(4 * MINUTE)

        assert (await world.stored()).chat == before

    tell(story, workers=2)


def test_an_answer_to_a_chat_without_a_worker_is_taken_up_at_once() -> None:
    async def story(world: World) -> None:
        await world.start(f"call @tab {CLIENT_TOOL} {{}}\nnext\nsay Opened.")
        await waiting(world)
        before = world.clock.now_micros()
        await world.tell(SubmitActions(actions=(Result(call_id=CallId("tab"), output=1),)))
        await world.until_idle()

        assert world.clock.now_micros() - before < SECOND // 10
        assert (await world.transcript())[-2:] == ["tool: tab answered", "assistant: Opened."]

    tell(story)


def test_an_edit_of_a_chat_that_waits_forgets_the_deadline() -> None:
    async def story(world: World) -> None:
        await world.start(ASKS)
        await waiting(world)
        await world.tell(EditMessage(message_id=MessageId(1), content=said("say Instead.")))
        await world.clock.sleep(10 * MINUTE)

        assert await world.transcript() == ["user: say Instead.", "assistant: Instead."]

    tell(story)


def test_a_stop_of_a_chat_that_waits_asks_no_model() -> None:
    async def story(world: World) -> None:
        await world.start(ASKS)
        await waiting(world)
        await world.tell(Interrupt())
        chat = await world.until_idle()
        await world.clock.sleep(10 * MINUTE)

        assert chat.finish_reason is Reason.INTERRUPTED
        assert (await world.transcript())[-1] == "tool: tab failed"

    tell(story)


def test_a_message_instead_of_an_answer_is_the_next_that_the_model_hears() -> None:
    async def story(world: World) -> None:
        await world.start(ASKS)
        await waiting(world)
        await world.tell(send("say Never mind.", When.INTERRUPT))
        await world.until_idle()

        assert (await world.transcript())[-3:] == [
            "tool: tab failed",
            "user: say Never mind.",
            "assistant: Never mind.",
        ]

    tell(story)


def test_one_worker_of_several_ends_the_waiting() -> None:
    async def story(world: World) -> None:
        for n in range(5):
            await world.start(ASKS, ChatId(f"chat {n}"))
        await world.clock.sleep(6 * MINUTE)

        for n in range(5):
            assert (await world.transcript(ChatId(f"chat {n}")))[-2:] == [
                "tool: tab failed",
                "assistant: Then not.",
            ]

    tell(story, workers=3)


def test_a_deadline_that_passed_while_no_server_ran_is_found_by_the_next_one(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def main() -> None:
        async with open_sqlite(tmp_path / "chatd.db", now_micros=clock.now_micros, inline=True) as db:
            await migrate(db)
            await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
            first = World(db)
            async with asyncio.TaskGroup() as group:
                group.create_task(first.worker().run(first.stop))
                await create_chat(first.store, create(user(ASKS)))
                await waiting(first)
                first.stop.set()
            await clock.sleep(60 * MINUTE)

            second = World(db)
            async with asyncio.TaskGroup() as group:
                group.create_task(second.worker().run(second.stop))
                await clock.sleep(2 * LOOK_SECONDS)
                second.stop.set()

            assert (await second.transcript())[-2:] == ["tool: tab failed", "assistant: Then not."]

    run_virtually(main())


class CountingDatabase:
    """A database that counts what is written to it."""

    engine = SqlEngine.SQLITE

    def __init__(self, db: Database) -> None:
        self._db = db
        self.written = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.written += 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


def test_the_clock_of_the_database_alone_says_that_time_is_up(tmp_path: Path) -> None:
    """Ours is a minute ahead of it."""
    clock = VirtualClock()

    async def main() -> None:
        behind = lambda: clock.now_micros() - MINUTE * SECOND  # noqa: E731
        async with open_sqlite(tmp_path / "chatd.db", now_micros=behind, inline=True) as db:
            await migrate(db)
            await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
            counting = CountingDatabase(db)
            world = World(counting)
            async with asyncio.TaskGroup() as group:
                group.create_task(world.worker().run(world.stop))
                await world.start(ASKS)
                await waiting(world)
                before = counting.written
                await clock.sleep(4 * MINUTE + MINUTE / 2)
                # Only beats and sweeps, also after our clock said that the time was up.
                assert counting.written - before < 2 * 4.5 * MINUTE / BEAT_SECONDS
                await clock.sleep(MINUTE)
                world.stop.set()

            assert (await world.transcript())[-2:] == ["tool: tab failed", "assistant: Then not."]

    run_virtually(main())
