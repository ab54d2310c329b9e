"""The index of words follows the chats while a server runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.hints.memory import MemoryBus
from chatd.kit.words import terms_of
from chatd.storage.database import Database
from chatd.storage.tables.search import Filter, find_chats
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.worker.search_index import CATCH_UP_SECONDS, keep_search_index
from tests.clock import MovedClock
from tests.words import OWNER, create, says, step, user

CHAT = ChatId("chat")


@asynccontextmanager
async def indexing(database: Database, bus: MemoryBus, clock: MovedClock) -> AsyncIterator[None]:
    task = asyncio.ensure_future(keep_search_index(database, bus, clock))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def finds(database: Database, word: str) -> bool:
    return bool((await find_chats(database, Filter(owner_id=OWNER), terms_of(word), limit=1)).found)


async def until_found(database: Database, clock: MovedClock, word: str, *, seconds: float = 0.5) -> None:
    while not await finds(database, word):
        await clock.advance(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def quiet_store(database: Database) -> Store:
    """Another process: its hints do not reach this one."""
    return Store(database, MemoryBus())


async def test_what_is_said_while_the_server_runs_is_found(
    store: Store, database: Database, bus: MemoryBus, clock: MovedClock
) -> None:
    async with indexing(database, bus, clock):
        await create_chat(store, create(user("question")))
        await until_found(database, clock, "question")
        await transact(store, CHAT, step(says("reply")), FinishTurn())
        await until_found(database, clock, "reply")


async def test_what_was_said_before_the_start_is_found(
    quiet_store: Store, database: Database, bus: MemoryBus, clock: MovedClock
) -> None:
    await create_chat(quiet_store, create(user("before")))

    async with indexing(database, bus, clock):
        await until_found(database, clock, "before")


async def test_what_no_hint_told_of_is_found_an_hour_later(
    store: Store, quiet_store: Store, database: Database, bus: MemoryBus, clock: MovedClock
) -> None:
    async with indexing(database, bus, clock):
        await create_chat(store, create(user("first")))
        await until_found(database, clock, "first")
        await transact(quiet_store, CHAT, step(says("unheard")), FinishTurn())
        await until_found(database, clock, "unheard", seconds=CATCH_UP_SECONDS)


async def test_a_chat_that_cannot_be_read_stands_in_no_other_ones_way(
    quiet_store: Store, database: Database, bus: MemoryBus, clock: MovedClock
) -> None:
    await create_chat(quiet_store, create(user("broken"), chat_id="a"))
    await create_chat(quiet_store, create(user("whole"), chat_id="b"))
    await database.write(lambda tx: tx.script("UPDATE messages SET content = '[{]' WHERE chat_id = 'a';"))

    async with indexing(database, bus, clock):
        await until_found(database, clock, "whole")
    assert not await finds(database, "broken")
