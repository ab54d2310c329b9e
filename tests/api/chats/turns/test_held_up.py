"""Why a chat gets no further is told to whoever looks at it."""

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.domain.ids import ChatId, UserId
from chatd.kit.clock import SystemClock
from chatd.live.episodes.waits import HeldUp
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store


async def test_a_chat_tells_for_which_provider_it_waits(store: Store, owner: UserId) -> None:
    live = Live(store, SystemClock())
    client = Client(
        build(store, live, catalog_store=some_catalog_store(store)),
        await create_token(store.db, owner, "test"),
    )
    chat = await client.start_chat()
    assert (await client.get(f"{CHATS}/{chat['id']}")).json["held_up"] is None

    since = "2026-01-01T00:00:00.000000Z"
    held_up = HeldUp(reason="provider", since=since, provider="ollama")
    live.board.waits.shown[ChatId(chat["id"])] = held_up

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json
    assert shown["held_up"] == {"reason": "provider", "since": since, "provider": "ollama"}
