"""A search with the client against a real server."""

from chatd.client import AsyncClient
from chatd.client.answers import Found
from chatd.storage.transactions.transact import Store
from chatd.worker.search_index import index_all
from tests.clock import HurriedClock
from tests.support.served import served


async def test_a_chat_is_found_by_its_words(store: Store) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        chat = await client.create_chat("Name a planet.")
        await client.create_chat("Name a moon.")
        await index_all(store.db, HurriedClock())

        (found,) = (await client.chats(q="planet")).chats

    assert (found.id, found.found) == (chat.id, Found(message_id=1, snippet="Name a planet."))
