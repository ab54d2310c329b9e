"""A long history is stored piece by piece, and is there as a whole or not at all."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chatd.domain.chat import Status
from chatd.domain.decision.ledger import owed_after
from chatd.domain.ids import ChatId
from chatd.domain.limits import TEMPORARY_SECONDS
from chatd.domain.message import Draft, text
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import Unavailable
from chatd.hints.memory import MemoryBus
from chatd.kit.words import terms_of
from chatd.storage.database import Connection, Database
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.read import Everything, list_chats, read_chat, read_everything, read_message_key
from chatd.storage.tables.leases import chats_without_worker
from chatd.storage.tables.search import Filter, find_chats
from chatd.storage.transactions.importing import READ, ROWS_PER_TRANSACTION, import_chat, pieces_of
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.storage.transactions.write import ROW_BYTES_AT_ONCE_MAX
from chatd.worker.chores import remove_expired_chats
from chatd.worker.search_index import index_all
from tests.clock import HurriedClock, MovedClock
from tests.words import OWNER, answers, call, create, says, send, user

CHAT, OTHER = ChatId("chat"), ChatId("other")
TURN = (user("question"), says("let me see", call("a")), answers("a"), says("there"))


def a_long_chat(chat_id: ChatId = CHAT, *, pieces: int = 3) -> CreateChat:
    """A turn is five rows: four messages and a call."""
    turns = ROWS_PER_TRANSACTION // 5 * pieces
    return create(*(TURN * turns)[:-1], says("herons"), chat_id=chat_id)


class Watched:
    """A database that counts what is written, and may fail in the middle."""

    def __init__(self, database: Database, *, fails_at: int = 0) -> None:
        self._database = database
        self.engine: SqlEngine = database.engine
        self.read = database.read
        self.writes = 0
        self._fails_at = fails_at

    async def write(self, body: Callable[..., Coroutine[Any, Any, Any]], **more: Any) -> Any:
        self.writes += 1
        if self.writes == self._fails_at:
            raise Unavailable("away")
        return await self._database.write(body, **more)


async def stored(database: Database, chat_id: ChatId) -> Everything:
    found = await read_everything(database, chat_id)
    assert found is not None
    return found


async def test_it_is_the_same_chat_as_one_that_is_stored_at_once(store: Store, database: Database) -> None:
    await create_chat(store, a_long_chat(OTHER), FinishTurn(), READ)
    done = await import_chat(store, a_long_chat())

    whole, pieces = await stored(database, OTHER), await stored(database, CHAT)
    assert [replace(m, revision=0) for m in pieces.messages] == [
        replace(m, revision=0) for m in whole.messages
    ]
    assert pieces.calls == whole.calls
    same = {"id": CHAT, "versions": done.chat.versions}
    assert pieces.chat == replace(whole.chat, **same) == done.chat
    assert pieces.chat.status is Status.WAITING
    assert [m.id for m in pieces.messages if m.turn_end is not None] == [pieces.messages[-1].id]


async def test_others_can_write_in_between(store: Store, database: Database) -> None:
    short, long = Watched(database), Watched(database)

    await import_chat(Store(short, MemoryBus()), create(*TURN, chat_id=OTHER))
    await import_chat(Store(long, MemoryBus()), a_long_chat(pieces=3))

    assert (short.writes, long.writes) == (1, 3)


@pytest.mark.parametrize("written", [1, 2])
async def test_one_that_breaks_off_is_seen_by_no_one_and_removed(
    store: Store, database: Database, clock: MovedClock, written: int
) -> None:
    failing = Watched(database, fails_at=written + 1)
    with pytest.raises(Unavailable):
        await import_chat(Store(failing, MemoryBus()), a_long_chat())

    assert (await list_chats(database, OWNER, archived=False, limit=10)).chats == ()
    assert await chats_without_worker(database, limit=10) == []
    half = await read_chat(database, CHAT)
    assert half is not None
    assert half.last_error is not None
    assert half.last_error.message == "This chat was not imported to its end."

    await clock.advance(TEMPORARY_SECONDS)
    await remove_expired_chats(store, HurriedClock())
    assert await read_chat(database, CHAT) is None


async def test_when_it_is_there_it_is_listed_and_found_and_goes_on(store: Store, database: Database) -> None:
    await import_chat(store, a_long_chat())
    await index_all(database, HurriedClock())

    page = await list_chats(database, OWNER, archived=False, limit=10)
    found = await find_chats(database, Filter(owner_id=OWNER), terms_of("herons"), limit=10)
    assert [chat.id for chat in page.chats] == [each.chat.id for each in found.found] == [CHAT]
    assert (await transact(store, CHAT, send("more"))).chat.status is Status.RUNNING


async def test_keys_of_later_pieces_are_used(store: Store, database: Database) -> None:
    command = a_long_chat()
    at = ROWS_PER_TRANSACTION // 5 * 4
    messages = (*command.messages[:at], replace(command.messages[at], key="k"), *command.messages[at + 1 :])

    await import_chat(store, replace(command, messages=messages))

    used = await read_message_key(database, CHAT, "k")
    assert used is not None
    assert used.number == at + 1


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 12))
def test_pieces_join_to_the_whole_and_leave_no_call_open(calls: list[int], rows_max: int) -> None:
    messages: list[Draft] = []
    for number, count in enumerate(calls):
        ids = [f"{number}-{each}" for each in range(count)]
        messages += [user("go"), says("so", *map(call, ids)), *map(answers, ids)]

    pieces = list(pieces_of(messages, rows_max=rows_max))

    assert [message for piece in pieces for message in piece] == messages
    for piece in pieces:
        owed = frozenset[Any]()
        for place, message in enumerate(piece):
            # A row for each message and each call, which is what its content has beside words and results.
            rows = sum(len(each.content) for each in piece[:place])
            # Only calls without a result make a piece longer than it should be.
            assert rows < rows_max or owed
            owed = owed_after(owed, message)
        assert not owed


class Measured(Watched):
    """Knows how many bytes of messages came with one statement at most."""

    bytes_at_once = 0

    async def write(self, body: Callable[..., Coroutine[Any, Any, Any]], **more: Any) -> Any:
        async def measured(tx: Connection) -> Any:
            run_many = tx.run_many

            async def measure(query: str, rows: Sequence[Sequence[object]]) -> None:
                self.bytes_at_once = max(self.bytes_at_once, len(str(rows)))
                await run_many(query, rows)

            tx.run_many = measure  # type: ignore[method-assign]
            return await body(tx)

        return await super().write(measured, **more)


async def test_large_messages_are_not_in_memory_twice(store: Store, database: Database) -> None:
    each = ROW_BYTES_AT_ONCE_MAX // 3
    messages = [user(letter * each) for letter in "abcdefgh"]
    measured = Measured(database)

    await import_chat(replace(store, db=measured), create(*messages))

    assert 2 * each < measured.bytes_at_once < ROW_BYTES_AT_ONCE_MAX + each
    assert [text(m)[0] for m in (await stored(database, CHAT)).messages] == list("abcdefgh")
