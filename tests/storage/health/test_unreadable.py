"""Chats that no worker can read, as an operator is told of them."""

from chatd.domain.ids import ChatId
from chatd.storage.database import Database
from chatd.storage.health.unreadable import unreadable_chats
from chatd.storage.transactions.transact import Store, create_chat
from tests.words import create, send


async def test_only_chats_with_work_that_cannot_be_read_are_named(database: Database, store: Store) -> None:
    for name in ("a", "b", "c"):
        await create_chat(store, create(chat_id=name), send("queued"))
    assert await unreadable_chats(database) == []

    await database.write(lambda tx: tx.script("UPDATE chats SET projection = '{' WHERE id = 'b';"))
    await database.write(
        lambda tx: tx.script("UPDATE queued_messages SET content = '3' WHERE chat_id = 'c';")
    )

    assert await unreadable_chats(database) == [ChatId("b"), ChatId("c")]
