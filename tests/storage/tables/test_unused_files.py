"""Files that no chat refers to: how many a user may have, and when they go."""

import asyncio

import pytest

from chatd.domain.ids import ChatId, FileId, UserId
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.errors import BadInput, LimitReached
from chatd.storage.database import Database
from chatd.storage.queries import SqlEngine
from chatd.storage.tables.files import UNUSED_DAYS, FileRoom, add_file, read_file, remove_unused_files
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from chatd.worker.chores import FILES_AT_ONCE, FIRST_CHORES_SECONDS, UNUSED_FILES_SECONDS, do_chores
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import create, user

DAY_SECONDS = 24 * 3600
OLD_SECONDS = UNUSED_DAYS * DAY_SECONDS + 1


async def keep(
    database: Database, owner: UserId, *names: str, size: int = 10, unused_bytes_max: int = 0
) -> None:
    for name in names:
        await add_file(
            database,
            file_id=FileId(name),
            owner_id=owner,
            name=name,
            media_type="text/plain",
            data=b"a" * size,
            room=FileRoom(unused_bytes_max=unused_bytes_max),
        )


def mention(file: str) -> SendMessage:
    return SendMessage(message=user("look", file=file), when=When.QUEUE)


async def kept(database: Database, *names: str) -> list[str]:
    return [name for name in names if await read_file(database, FileId(name)) is not None]


async def test_a_file_that_no_chat_refers_to_goes_after_a_week(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    await keep(database, owner, "old", "said", "queued")
    await create_chat(store, create(user("see", file="said")))
    await transact(store, ChatId("chat"), mention("queued"))
    await clock.advance(OLD_SECONDS - 2)
    assert await remove_unused_files(database, limit=10) == 0
    await clock.advance(2)
    await keep(database, owner, "new")

    assert await remove_unused_files(database, limit=10) == 1
    assert await kept(database, "old", "said", "queued", "new") == ["said", "queued", "new"]


async def test_so_many_are_removed_at_once(database: Database, owner: UserId, clock: MovedClock) -> None:
    await keep(database, owner, *"abcde")
    await clock.advance(OLD_SECONDS)

    assert [await remove_unused_files(database, limit=2) for _ in range(4)] == [2, 2, 1, 0]


async def test_chores_remove_them_while_the_server_runs(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    names = [f"file-{number}" for number in range(FILES_AT_ONCE + 1)]
    await keep(database, owner, *names)

    async def until_gone(*gone: str) -> None:
        while await kept(database, *gone):
            await clock.advance(1)
            await asyncio.sleep(0)

    chores = asyncio.ensure_future(do_chores(store, clock))
    await clock.advance(OLD_SECONDS + FIRST_CHORES_SECONDS)
    await until_gone(*names)
    await keep(database, owner, "later")
    await clock.advance(OLD_SECONDS + UNUSED_FILES_SECONDS)
    await until_gone("later")
    chores.cancel()


async def test_a_user_has_only_so_much_that_no_chat_refers_to(
    store: Store, database: Database, owner: UserId
) -> None:
    await keep(database, owner, "a", size=60, unused_bytes_max=100)
    with pytest.raises(LimitReached, match="no chat refers to"):
        await keep(database, owner, "b", size=41, unused_bytes_max=100)
    assert await kept(database, "a", "b") == ["a"]

    await create_chat(store, create(user("see", file="a")))
    await keep(database, owner, "b", size=100, unused_bytes_max=100)

    await delete_chat(store, ChatId("chat"))
    assert await kept(database, "a", "b") == ["b"]


@proves("people", 77)
async def test_a_message_that_mentions_a_file_just_now_keeps_it(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    """The file is found unused; before it is locked, a message refers to it."""
    await keep(database, owner, "old")
    await clock.advance(OLD_SECONDS)
    await create_chat(store, create())
    found, said = asyncio.Event(), asyncio.Event()

    class Slow:
        """A database whose writes wait until the message was sent."""

        engine: SqlEngine = database.engine
        read = database.read

        async def write(self, body: object, **more: object) -> object:
            found.set()
            await said.wait()
            return await database.write(body, **more)  # type: ignore[arg-type]

    async with asyncio.TaskGroup() as group:
        removing = group.create_task(remove_unused_files(Slow(), limit=10))  # type: ignore[arg-type]
        await found.wait()
        await transact(store, ChatId("chat"), mention("old"))
        said.set()

    assert (removing.result(), await kept(database, "old")) == (0, ["old"])


@proves("people", 77)
async def test_a_file_that_is_mentioned_while_it_is_removed_is_there_or_the_message_is_not(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    names = [f"file-{number}" for number in range(8)]
    await keep(database, owner, *names)
    await create_chat(store, create())
    await clock.advance(OLD_SECONDS)

    async def mentioned(name: str) -> bool:
        try:
            await transact(store, ChatId("chat"), mention(name))
        except BadInput:
            return False
        return True

    removing = asyncio.ensure_future(remove_unused_files(database, limit=100))
    said = await asyncio.gather(*map(mentioned, names))
    await removing

    assert [name for name, was_said in zip(names, said, strict=True) if was_said] == await kept(
        database, *names
    )


@proves("people", 77)
async def test_a_file_that_was_removed_cannot_be_mentioned(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    await keep(database, owner, "old")
    await create_chat(store, create())
    await clock.advance(OLD_SECONDS)
    await remove_unused_files(database, limit=10)

    with pytest.raises(BadInput, match="There is no file"):
        await transact(store, ChatId("chat"), mention("old"))
