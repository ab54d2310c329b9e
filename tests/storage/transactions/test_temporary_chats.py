"""Temporary chats: in no list and in no search, and gone an hour after their last turn."""

import asyncio
from collections.abc import Sequence

import pytest

from chatd.domain.call import Plan
from chatd.domain.ids import CallId, ChatId, FileId, UserId
from chatd.domain.limits import TEMPORARY_SECONDS
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.hints.hint import ChatDeleted
from chatd.hints.memory import MemoryBus
from chatd.kit.words import terms_of
from chatd.storage.database import Connection, Database
from chatd.storage.queries import SqlEngine
from chatd.storage.reads.read import FIRST_EXPIRED, expired_chats, list_chats, read_chat, read_list
from chatd.storage.tables.files import add_file, read_file
from chatd.storage.tables.search import Filter, find_chats
from chatd.storage.transactions.transact import Store, create_chat, delete_expired_chat, transact
from chatd.worker.chores import (
    EXPIRED_CHATS_SECONDS,
    FIRST_CHORES_SECONDS,
    do_chores,
    remove_expired_chats,
)
from chatd.worker.search_index import index_all
from tests.clock import HurriedClock, MovedClock
from tests.storage.transactions.hearing import hearing
from tests.words import OWNER, call, client_call, create, failure, says, send, step, user

CHAT = ChatId("chat")


async def a_temporary_chat(store: Store, *further: Command, chat_id: str = CHAT) -> None:
    await create_chat(store, create(chat_id=chat_id, temporary=True))
    if further:
        await transact(store, ChatId(chat_id), *further)


async def some_that_rest(store: Store, count: int) -> list[ChatId]:
    names = [ChatId(f"chat-{number}") for number in range(count)]
    for name in names:
        await a_temporary_chat(store, FinishTurn(), chat_id=name)
    return names


async def there(database: Database, *chat_ids: ChatId) -> list[ChatId]:
    return [chat_id for chat_id in chat_ids if await read_chat(database, chat_id) is not None]


async def look(store: Store, clock: MovedClock, *, after: float = 0) -> None:
    """The chore, once."""
    await clock.advance(after)
    await remove_expired_chats(store, HurriedClock())


async def test_a_temporary_chat_is_in_no_list_and_in_no_search(store: Store, database: Database) -> None:
    await create_chat(store, create(user("herons nest"), chat_id="kept"))
    await create_chat(store, create(user("herons nest"), temporary=True))
    await index_all(database, HurriedClock())

    page = await list_chats(database, OWNER, archived=False, limit=10)
    found = await find_chats(database, Filter(owner_id=OWNER), terms_of("herons"), limit=10)

    assert [chat.id for chat in page.chats] == ["kept"]
    assert list(await read_list(database, OWNER, limit=10)) == ["kept"]
    assert [each.chat.id for each in found.found] == ["kept"]
    chat = await read_chat(database, CHAT)
    assert chat is not None
    assert chat.temporary


@pytest.mark.parametrize("end", [FinishTurn(), FailTurn(failure=failure())], ids=["finished", "failed"])
async def test_it_is_removed_an_hour_after_its_last_turn_has_ended(
    store: Store, database: Database, clock: MovedClock, bus: MemoryBus, end: Command
) -> None:
    await a_temporary_chat(store, end)
    await create_chat(store, create(chat_id="kept"))
    await transact(store, ChatId("kept"), end)
    await look(store, clock, after=TEMPORARY_SECONDS - 1)
    assert await there(database, CHAT) == [CHAT]

    with hearing(bus) as heard:
        await look(store, clock, after=1)

        assert heard() == [ChatDeleted(chat_id=CHAT, owner_id=OWNER)]
    assert await there(database, CHAT, ChatId("kept")) == ["kept"]


async def test_a_message_gives_it_another_hour(store: Store, database: Database, clock: MovedClock) -> None:
    await a_temporary_chat(store, FinishTurn())
    await clock.advance(TEMPORARY_SECONDS - 1)
    await transact(store, CHAT, send("go on"))
    await look(store, clock, after=TEMPORARY_SECONDS)
    await transact(store, CHAT, step(says("more")), FinishTurn())
    await look(store, clock, after=TEMPORARY_SECONDS - 1)
    assert await there(database, CHAT) == [CHAT]

    await look(store, clock, after=1)
    assert await there(database, CHAT) == []


QUESTION = (step(says("?", call("a")), plans=(Plan(call_id=CallId("a"), asks_person=True),)), RequireAction())


@pytest.mark.parametrize(
    "commands",
    [(), (Interrupt(),), (step(says("?", client_call("a"))), RequireAction()), QUESTION],
    ids=["running", "interrupting", "waits for its client", "waits for a person"],
)
async def test_it_is_never_removed_while_a_turn_is_under_way(
    store: Store, database: Database, clock: MovedClock, commands: Sequence[Command]
) -> None:
    await create_chat(store, create(temporary=True))
    await transact(store, CHAT, send("later"), *commands)

    await look(store, clock, after=100 * TEMPORARY_SECONDS)

    assert await there(database, CHAT) == [CHAT]


async def test_it_stays_while_a_chat_works_for_it(
    store: Store, database: Database, clock: MovedClock
) -> None:
    child = ChatId("child")
    await a_temporary_chat(store, FinishTurn())
    await create_chat(store, create(chat_id=child, parent=CHAT))

    await look(store, clock, after=TEMPORARY_SECONDS)
    assert not await delete_expired_chat(store, CHAT)
    assert await there(database, CHAT, child) == [CHAT, child]

    await transact(store, child, FinishTurn())
    await look(store, clock)
    assert await there(database, CHAT, child) == []


async def test_its_files_go_with_it(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    await add_file(
        database, file_id=FileId("f"), owner_id=owner, name="f", media_type="text/plain", data=b"a"
    )
    await create_chat(store, create(user("see", file="f"), temporary=True))
    await transact(store, CHAT, FinishTurn())

    await look(store, clock, after=TEMPORARY_SECONDS)

    assert await read_file(database, FileId("f")) is None


async def test_a_message_that_comes_just_before_the_removal_keeps_it(
    store: Store, database: Database, clock: MovedClock
) -> None:
    await a_temporary_chat(store, FinishTurn())
    await clock.advance(TEMPORARY_SECONDS)
    (found,) = await expired_chats(database, limit=10)

    await transact(store, found.chat_id, send("wait"))

    assert not await delete_expired_chat(store, found.chat_id)
    assert await there(database, CHAT) == [CHAT]


async def test_of_several_servers_each_chat_is_removed_by_one(
    store: Store, database: Database, clock: MovedClock, bus: MemoryBus
) -> None:
    names = await some_that_rest(store, 8)
    await clock.advance(TEMPORARY_SECONDS)

    with hearing(bus) as heard:
        await asyncio.gather(*(remove_expired_chats(store, HurriedClock()) for _ in range(3)))
        told = [hint.chat_id for hint in heard() if isinstance(hint, ChatDeleted)]

    assert sorted(told) == names
    assert await there(database, *names) == []


async def test_a_chat_that_is_locked_is_not_waited_for(
    store: Store, database: Database, clock: MovedClock
) -> None:
    """On PostgreSQL. With SQLite there is one writer, and nothing is locked when its turn comes."""
    if database.engine is SqlEngine.SQLITE:
        return
    await a_temporary_chat(store, FinishTurn())
    await clock.advance(TEMPORARY_SECONDS)
    locked, looked = asyncio.Event(), asyncio.Event()

    async def hold(tx: Connection) -> None:
        await tx.one("lock_chat", CHAT)
        locked.set()
        await looked.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(database.write(hold))
        await locked.wait()
        assert not await delete_expired_chat(store, CHAT)
        looked.set()

    assert await delete_expired_chat(store, CHAT)


async def test_they_are_found_page_by_page_the_oldest_first(
    store: Store, database: Database, clock: MovedClock
) -> None:
    names = await some_that_rest(store, 3)
    await clock.advance(TEMPORARY_SECONDS)

    first = await expired_chats(database, after=FIRST_EXPIRED, limit=2)
    second = await expired_chats(database, after=first[-1], limit=2)

    assert [[place.chat_id for place in page] for page in (first, second)] == [names[:2], names[2:]]


async def test_one_that_cannot_be_read_stands_in_no_other_chats_way(
    store: Store, database: Database, clock: MovedClock
) -> None:
    names = await some_that_rest(store, 3)
    await database.write(lambda tx: tx.script("UPDATE chats SET projection = 'x' WHERE id = 'chat-0';"))

    await look(store, clock, after=TEMPORARY_SECONDS)

    assert await there(database, *names[1:]) == []


async def test_the_chore_does_it_while_the_server_runs(
    store: Store, database: Database, clock: MovedClock
) -> None:
    names = await some_that_rest(store, 2)

    async def until_gone() -> None:
        while await there(database, *names):
            await clock.advance(1)
            await asyncio.sleep(0)

    chores = asyncio.ensure_future(do_chores(store, clock))
    await clock.advance(TEMPORARY_SECONDS + FIRST_CHORES_SECONDS)
    await until_gone()
    names = await some_that_rest(store, 2)
    await clock.advance(TEMPORARY_SECONDS + EXPIRED_CHATS_SECONDS)
    await until_gone()
    chores.cancel()
