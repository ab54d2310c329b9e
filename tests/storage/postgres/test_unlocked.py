"""Messages that are added to a chat without a lock, and what sends them back to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest

from chatd.domain import machine
from chatd.domain.decision.apply import Outcome
from chatd.domain.ids import ChatId
from chatd.domain.message import text
from chatd.domain.transitions.messages.send_message import SendMessage
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import KeyUsed, Unavailable
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.postgres.database import open_postgres
from chatd.storage.postgres.unlocked import Unlocked
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.load import lock
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.storage.transactions.write import save_chat, take_key, write_rows
from tests.clock import MovedClock
from tests.conftest import empty_postgres
from tests.storage.postgres.proxy import Mood, proxied
from tests.storage.postgres.waiting import until_waiting
from tests.words import create, says, send, step

CHAT = ChatId("chat")


@pytest.fixture
async def database(postgres_url: str, clock: MovedClock) -> AsyncIterator[Database]:
    async with empty_postgres(postgres_url, clock) as db:
        yield db


@pytest.fixture
async def store(database: Database) -> Store:
    store = Store(database, MemoryBus())
    await create_chat(store, create())
    await transact(store, CHAT, step(says("hi")), FinishTurn())
    return store


class Adding:
    """Adds a message, and counts how often it began and which of it had no lock."""

    def __init__(self, command: SendMessage) -> None:
        self.command = command
        self.unlocked: list[bool] = []

    async def meanwhile(self) -> None:
        """Between the first look and the write."""

    async def __call__(self, tx: Connection) -> Outcome:
        self.unlocked.append(isinstance(tx, Unlocked))
        locked = await lock(tx, CHAT)
        if len(self.unlocked) == 1:
            await self.meanwhile()
        outcome = machine.decide(machine.begin(locked), self.command)
        await take_key(tx, self.command, outcome)
        await write_rows(tx, outcome)
        await save_chat(tx, outcome.after.chat)
        return outcome


async def said(database: Database) -> list[str]:
    everything = await read_everything(database, CHAT)
    assert everything is not None
    return [*map(text, everything.messages), *map(text, everything.queue)]


@pytest.mark.parametrize("key", [None, "k"])
async def test_a_message_to_a_chat_at_rest_needs_no_lock(
    store: Store, database: Database, key: str | None
) -> None:
    adding = Adding(send("again", key=key))

    await database.write(adding, pace=Pace.ONE_MESSAGE)

    assert adding.unlocked == [True]
    assert await said(database) == ["hello", "hi", "again"]


async def test_what_was_decided_on_a_chat_that_has_moved_is_decided_anew(
    store: Store, database: Database
) -> None:
    class BehindAnother(Adding):
        async def meanwhile(self) -> None:
            await transact(store, CHAT, send("first"), then=lambda _: (step(says("yes")), FinishTurn()))

    adding = BehindAnother(send("second"))

    await database.write(adding, pace=Pace.ONE_MESSAGE)

    assert adding.unlocked == [True, False]
    assert await said(database) == ["hello", "hi", "first", "yes", "second"]


async def test_a_row_that_another_is_changing_is_waited_for_and_looked_at_again(
    store: Store, database: Database, postgres_url: str
) -> None:
    locked, write = asyncio.Event(), asyncio.Event()

    async def slow(tx: Connection) -> None:
        outcome = machine.decide(machine.begin(await lock(tx, CHAT)), send("first"))
        locked.set()
        await write.wait()
        await write_rows(tx, outcome)
        await save_chat(tx, outcome.after.chat)

    adding = Adding(send("second"))
    async with asyncio.TaskGroup() as group:
        group.create_task(database.write(slow))
        await locked.wait()
        group.create_task(database.write(adding, pace=Pace.ONE_MESSAGE))
        await until_waiting(postgres_url, 1)
        write.set()

    assert adding.unlocked == [True, False]
    assert await said(database) == ["hello", "hi", "first", "second"]


async def test_two_messages_are_written_under_the_lock(store: Store, database: Database) -> None:
    await transact(store, CHAT, send("first"), then=lambda _: (step(says("yes")), FinishTurn()))

    assert await said(database) == ["hello", "hi", "first", "yes"]


async def test_a_chat_that_was_deleted_meanwhile_gets_no_message(store: Store, database: Database) -> None:
    class AfterTheEnd(Adding):
        async def meanwhile(self) -> None:
            await delete_chat(store, CHAT)

    with pytest.raises(Exception, match="There is no chat"):
        await database.write(AfterTheEnd(send("hello")), pace=Pace.ONE_MESSAGE)


async def test_a_key_that_was_used_meanwhile_is_refused_and_nothing_is_written(
    store: Store, database: Database
) -> None:
    await transact(store, CHAT, send("first", key="k"), then=lambda _: (step(says("yes")), FinishTurn()))
    before = await read_everything(database, CHAT)
    adding = Adding(send("second", key="k"))

    with pytest.raises(KeyUsed):
        await database.write(adding, pace=Pace.ONE_MESSAGE)

    assert adding.unlocked == [True, False]
    assert await read_everything(database, CHAT) == before


@pytest.mark.parametrize("mood", [Mood.UNANSWERED, Mood.SILENT])
@pytest.mark.parametrize("key", [None, "k"])
async def test_a_write_whose_answer_is_lost_is_in_doubt_and_tried_again_with_its_key_it_is_there_once(
    store: Store, database: Database, postgres_url: str, mood: Mood, key: str | None
) -> None:
    class Unanswered(Adding):
        is_cut_off = asyncio.Event()

        async def meanwhile(self) -> None:
            wire.mood = mood
            self.is_cut_off.set()

    async with proxied(postgres_url) as wire, open_postgres(wire.url, connections_max=1) as cut_off:
        # So that the statements are prepared: what is sent from then on is all that is needed.
        first = send("first", key=None if key is None else "another")
        await cut_off.write(Adding(first), pace=Pace.ONE_MESSAGE)
        await transact(store, CHAT, step(says("yes")), FinishTurn())
        adding = Unanswered(send("again", key=key))
        task = asyncio.create_task(cut_off.write(adding, pace=Pace.ONE_MESSAGE))
        await adding.is_cut_off.wait()
        while mood is Mood.UNANSWERED and "again" not in await said(database):
            pass
        wire.cut()
        with pytest.raises(Unavailable):
            await task
    is_written = mood is Mood.UNANSWERED
    assert adding.unlocked == [True]
    assert (await said(database)).count("again") == is_written

    if key is not None:
        once_more = Adding(send("again", key=key))
        with pytest.raises(KeyUsed) if is_written else nullcontext():
            await database.write(once_more, pace=Pace.ONE_MESSAGE)
        assert (await said(database)).count("again") == 1
