"""How many transactions a turn takes. Each of them waits for the disk, wakes viewers and costs CPU."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from chatd.domain.chat import Status
from chatd.domain.ids import MessageId
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.errors import NotFound, Unavailable
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.worker.worker import LOOK_SECONDS
from tests.support.counting import Counting
from tests.words import create, said, send, user
from tests.worker.worlds.world import CHAT, World, tell


def test_a_reply_that_ends_its_turn_does_so_in_one_transaction_and_gives_the_chat_back() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        before = (await world.stored()).chat.versions.snapshot

        await world.send("say Again.")
        chat = await world.until_idle()

        # The message, the worker that takes the chat, and the reply.
        assert chat.versions.snapshot - before == 3
        assert chat.lease is None

    tell(story)


def test_a_round_of_model_and_tool_takes_two_transactions() -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "a"}\nnext\ncall echo {"text": "b"}\nnext\nsay Done.')
        chat = await world.until_idle()

        # Created, taken, two rounds of a reply and its results, the last reply.
        assert chat.versions.snapshot == 2 + 2 * 2 + 1

    tell(story)


def test_a_queued_message_begins_its_turn_in_the_commit_that_ends_the_one_before() -> None:
    async def story(world: World) -> None:
        await world.start("stream 10 words at 10 per second")
        await world.until_said(" ")
        await world.send("say Next.")
        queued = (await world.stored()).chat.versions.snapshot

        chat = await world.until_idle()

        assert chat.versions.snapshot - queued == 2
        assert (await world.transcript())[-2:] == ["user: say Next.", "assistant: Next."]

    tell(story)


def test_a_message_that_arrives_with_the_last_reply_is_not_overlooked() -> None:
    """What follows a reply is decided under the lock of its commit, not from what was known before."""

    async def story(world: World) -> None:
        await world.start("stream 3 words at 10 per second")
        await world.until_said(" ")
        # Not told to the worker: it finds the message only in its own transaction.
        await transact(world.silent_store, CHAT, send("say Here I am."))
        chat = await world.until_idle()

        assert chat.status is Status.WAITING
        assert (await world.transcript())[-1] == "assistant: Here I am."

    tell(story)


def test_a_message_is_taken_by_the_worker_of_its_process_in_the_transaction_that_keeps_it() -> None:
    async def story(world: World) -> None:
        await world.start("say Hello.")
        await world.until_idle()
        before = (await world.stored()).chat.versions.snapshot

        done = await transact(world.driven_store, CHAT, send("say Again."))
        chat = await world.until_idle()

        assert done.chat.lease is not None
        assert done.chat.lease.worker_id == world.workers[0].id
        # The message with the worker that takes the chat, and the reply.
        assert chat.versions.snapshot - before == 2
        assert (await world.transcript())[-1] == "assistant: Again."

    tell(story)


def test_a_new_chat_is_taken_in_the_transaction_that_creates_it() -> None:
    async def story(world: World) -> None:
        await world.until_working()
        await create_chat(world.driven_store, create(user("say Hello.")))
        chat = await world.until_idle()

        assert chat.versions.snapshot == 2

    tell(story)


def test_a_message_that_follows_the_end_of_a_turn_at_once_is_driven_by_the_next_runner() -> None:
    """The runner of the turn before has not ended yet when the next one begins."""

    async def story(world: World) -> None:
        await world.start("say Hello.")
        for number in range(20):
            await world.until_idle()
            done = await transact(world.driven_store, CHAT, send(f"say {number}"))
            assert done.chat.lease is not None

        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: 19"

    tell(story)


def test_a_message_to_a_chat_that_is_driven_already_takes_nothing() -> None:
    async def story(world: World) -> None:
        await world.start("stream 100 words at 10 per second")
        await world.until_said(" ")
        driver = (await world.stored()).chat.lease

        done = await transact(world.driven_store, CHAT, send("say Next."))

        assert done.chat.lease == driver

    tell(story)


def test_a_message_that_is_refused_leaves_nothing_offered() -> None:
    async def story(world: World) -> None:
        await world.until_working()
        with pytest.raises(NotFound):
            await transact(world.driven_store, CHAT, send("say Hello."))

        await create_chat(world.driven_store, create(user("say Hello.")))
        chat = await world.until_idle()
        assert chat.versions.snapshot == 2

    tell(story)


class CountingWorld(World):
    """Counts the reads of its workers."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.counting = Counting(db)

    def store_of_workers(self) -> Store:
        return Store(self.counting, self.bus)


def test_a_turn_that_its_own_process_began_reads_nothing() -> None:
    """No look for other chats at its end, either: those are reported, or found by the timer."""

    async def story(world: World) -> None:
        assert isinstance(world, CountingWorld)
        await world.until_working()
        await create_chat(world.driven_store, replace(create(user("say Hello.")), setup=None))
        await world.until_idle()
        # The worker has just looked by itself, and will not for a while.
        await world.clock.sleep(LOOK_SECONDS * 1.5)
        before = world.counting.reads

        await transact(world.driven_store, CHAT, send("say Again."))
        await world.until_idle()
        await world.clock.sleep(0.01)

        assert world.counting.reads == before
        assert (await world.transcript())[-1] == "assistant: Again."

        # One that another process began is read.
        await world.send("say And again.")
        await world.until_idle()
        assert world.counting.reads > before
        assert (await world.transcript())[-1] == "assistant: And again."

    tell(story, make=CountingWorld)


class Slow:
    """A database that answers its first write of a turn's end late, after something else has happened."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        written = await self._db.write(body, pace=pace)
        if (meanwhile := self.meanwhile) is not None:
            self.meanwhile = None
            await meanwhile()
        return written

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


class SlowWorld(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.slow = Slow(db)

    def store_of_workers(self) -> Store:
        return Store(self.slow, self.bus)


def test_a_message_that_comes_while_its_runner_ends_does_not_wait_for_the_timer() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, SlowWorld)
        await world.start("stream 3 words at 10 per second")
        await world.until_said(" ")

        async def another_message() -> None:
            await transact(world.store, CHAT, send("say Me too."))
            # The worker hears of it, and its runner has not ended yet.
            await world.clock.sleep(0.01)

        world.slow.meanwhile = another_message
        await world.until(lambda chat: chat.versions.history > 3)
        began = world.clock.monotonic()
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Me too."
        assert world.clock.monotonic() - began < LOOK_SECONDS / 2

    tell(story, make=SlowWorld)


class Forgetful:
    """A database that commits, and whose answer is then lost, once."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self._lost = False

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        written = await self._db.write(body, pace=pace)
        if self._lost:
            return written
        self._lost = True
        raise Unavailable("The connection was lost.")

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


def test_a_chat_that_was_taken_without_an_answer_is_found_and_driven() -> None:
    async def story(world: World) -> None:
        await world.until_working()
        store = Store(Forgetful(world.db), world.bus, world.workers[0])
        with pytest.raises(Unavailable):
            await create_chat(store, create(user("say Hello.")))

        await world.until_idle()
        assert await world.transcript() == ["user: say Hello.", "assistant: Hello."]

    tell(story)


def test_a_worker_that_is_about_to_end_takes_nothing_more() -> None:
    async def story(world: World) -> None:
        await world.until_working()
        world.stop.set()
        await world.clock.sleep(0.01)

        done = await create_chat(world.driven_store, create(user("say Hello.")))

        assert done.chat.lease is None

    tell(story)


def test_a_worker_that_was_cancelled_takes_nothing_more() -> None:
    """Nobody said stop: something else of the server broke. Requests under way are answered all the same."""

    async def story(world: World) -> None:
        async with asyncio.TaskGroup() as group:
            worker = world.worker()
            running = group.create_task(worker.run(world.stop))
            await world.until_working()
            running.cancel()
            await asyncio.wait([running])

        done = await create_chat(Store(world.db, world.bus, worker), create(user("say Hello.")))

        assert done.chat.lease is None

    tell(story)


def test_a_turn_after_an_edit_reads_the_history_that_is_left() -> None:
    async def story(world: World) -> None:
        await world.until_working()
        await create_chat(world.driven_store, create(user("say Hello.")))
        await world.until_idle()
        edit = EditMessage(message_id=MessageId(1), content=said("say Instead."))
        await transact(world.driven_store, CHAT, edit)
        await world.until_idle()

        assert await world.transcript() == ["user: say Instead.", "assistant: Instead."]

    tell(story)
