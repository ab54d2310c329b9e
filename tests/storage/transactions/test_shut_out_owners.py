"""Under the lock of a chat it is known whether agents may work for its owner, on both databases."""

from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from chatd.accounts.lives.lives import UserChange, change_user, delete_user, is_shut_out, suspend_user
from chatd.accounts.users import create_user
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserRole
from chatd.storage.database import Database
from chatd.storage.transactions.load import lock, look
from chatd.storage.transactions.transact import Store, create_chat
from tests.words import create

SERVICE, END_USER = UserId("shop"), UserId("customer")


async def demote(db: Database, user_id: UserId) -> None:
    await change_user(db, user_id, UserChange(role=UserRole.VIEWER))


async def suspend(db: Database, user_id: UserId) -> None:
    await suspend_user(db, user_id)


async def delete(db: Database, user_id: UserId) -> None:
    await delete_user(db, user_id, Leaving(chats=ChatsOfLeaver.ARCHIVE, by=THE_SERVER))


async def told(store: Store, chat_id: ChatId, owner: UserId) -> set[bool]:
    """By all who tell it."""
    locked = await store.db.write(lambda tx: lock(tx, chat_id))
    # Who knows the chat knows nothing of its owner.
    known = replace(locked, owner_shut_out=not locked.owner_shut_out)
    again = await store.db.write(lambda tx: lock(tx, chat_id, known=known))
    seen = await look(store.db, chat_id)
    assert seen is not None
    found = {each.owner_shut_out for each in (locked, again, seen)}
    return found | {await is_shut_out(store.db, owner)}


@pytest.mark.parametrize("shut_out", [suspend, delete, demote])
async def test_an_owner_who_is_shut_out_is_told(
    store: Store, owner: UserId, shut_out: Callable[[Database, UserId], Awaitable[None]]
) -> None:
    await create_user(store.db, "root", UserRole.ADMIN)
    chat_id = (await create_chat(store, create())).chat.id
    assert await told(store, chat_id, owner) == {False}

    await shut_out(store.db, owner)
    assert await told(store, chat_id, owner) == {True}


@pytest.mark.parametrize("shut_out", [suspend, delete, demote])
async def test_a_service_takes_its_end_users_along(
    store: Store, shut_out: Callable[[Database, UserId], Awaitable[None]]
) -> None:
    await create_user(store.db, "root", UserRole.ADMIN)
    await store.db.write(lambda tx: tx.run("insert_service_user", SERVICE, "shop", "member", "shop", ""))
    await store.db.write(lambda tx: tx.run("insert_end_user", END_USER, "7", SERVICE))
    chat_id = (await create_chat(store, replace(create(), owner_id=END_USER))).chat.id
    assert await told(store, chat_id, END_USER) == {False}

    await shut_out(store.db, SERVICE)
    assert await told(store, chat_id, END_USER) == {True}
