"""How often the database is asked for what people look at most."""

import pytest
from msgspec.structs import replace

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.support.counting import Counting


@pytest.mark.parametrize("path", [f"{CHATS}/{{id}}", f"{CHATS}?limit=20"], ids=["a chat", "a list"])
async def test_a_look_at_ones_own_asks_the_database_once(store: Store, owner: UserId, path: str) -> None:
    counting = Counting(store.db)
    client = Client(build(replace(store, db=counting)), await create_token(store.db, owner, "test"))
    chat = await client.start_chat()
    # From here on it is known who asks.
    path = path.format(id=chat["id"])
    await client.get(path)
    counting.reads = 0

    answer = await client.get(path)

    assert (answer.status, counting.reads) == (200, 1)
