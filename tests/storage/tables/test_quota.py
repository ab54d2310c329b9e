"""What a user may have of files in all."""

import asyncio

import pytest

from chatd.accounts.users import create_user
from chatd.domain.ids import ChatId, FileId, UserId
from chatd.domain.people.roles import UserRole
from chatd.errors import QuotaReached
from chatd.storage.database import Database
from chatd.storage.tables.files import FileRoom, add_file, read_file, remove_unused_files
from chatd.storage.transactions.transact import Store, create_chat, delete_chat
from tests.clock import MovedClock
from tests.storage.tables.test_unused_files import OLD_SECONDS
from tests.traceability import proves
from tests.words import create, user

ROOM = FileRoom(bytes_max=100)


async def keep(database: Database, owner: UserId, name: str, size: int, room: FileRoom = ROOM) -> None:
    await add_file(
        database,
        file_id=FileId(name),
        owner_id=owner,
        name=name,
        media_type="text/plain",
        data=b"a" * size,
        room=room,
    )


@proves("people", 58)
async def test_of_uploads_that_race_for_the_last_room_one_is_stored(
    database: Database, owner: UserId
) -> None:
    await keep(database, owner, "first", 40)

    racing = [keep(database, owner, name, 60) for name in "abcd"]
    outcomes = await asyncio.gather(*racing, return_exceptions=True)

    assert sorted(type(each).__name__ for each in outcomes) == ["NoneType", *["QuotaReached"] * 3]
    stored = [await read_file(database, FileId(name)) for name in "abcd"]
    assert sum(each is not None for each in stored) == 1


async def test_the_last_byte_fits_and_one_more_does_not(database: Database, owner: UserId) -> None:
    await keep(database, owner, "a", 100)

    with pytest.raises(QuotaReached, match="more than 0 MiB"):
        await keep(database, owner, "b", 1)
    await keep(database, owner, "b", 1, FileRoom())


async def test_a_write_whose_answer_was_lost_is_counted_once(database: Database, owner: UserId) -> None:
    await keep(database, owner, "a", 60)
    await keep(database, owner, "a", 60)
    await keep(database, owner, "b", 40)


async def test_each_user_has_room_of_their_own(database: Database, owner: UserId) -> None:
    other = await create_user(database, "other", UserRole.MEMBER)
    await keep(database, owner, "a", 100)

    await keep(database, other.id, "b", 100)


async def test_what_is_removed_makes_room(
    store: Store, database: Database, owner: UserId, clock: MovedClock
) -> None:
    """By whichever way it goes: with its chat, or because no chat refers to it."""
    await keep(database, owner, "said", 50)
    await keep(database, owner, "unused", 50)
    await create_chat(store, create(user("see", file="said")))
    await clock.advance(OLD_SECONDS)

    await remove_unused_files(database, limit=10)
    await keep(database, owner, "b", 50)
    await delete_chat(store, ChatId("chat"))
    await keep(database, owner, "c", 50)
    with pytest.raises(QuotaReached):
        await keep(database, owner, "d", 1)
