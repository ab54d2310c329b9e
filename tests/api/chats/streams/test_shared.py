"""Somebody with whom a chat is shared watches it: they are told what is said, and move only their marks."""

from typing import Any

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.chats.sharing.words import share
from tests.api.chats.streams.elsewhere import watching_elsewhere
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.live.listening import CHAT, Picture
from tests.traceability import proves
from tests.words import create, says, send, step, user

PATH = f"{CHATS}/{CHAT}"
SAID = ["hello", "first", "more", "second"]


@proves("api", 63)
async def test_a_reader_watches_what_is_said_and_the_owners_unread_mark_stays(
    store: Store, clock: MovedClock, owner: UserId
) -> None:
    app = build(store, Live(store, clock))
    client = Client(app, await create_token(store.db, owner, "test"))
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    token = await create_token(store.db, anna.id, "test")
    await create_chat(store, create(user("hello")))
    await transact(store, CHAT, step(says("first")), FinishTurn())
    await share(client, CHAT, "user/anna")
    before = await _unread(client)

    async with watching_elsewhere(store, clock) as elsewhere:
        shown = {"Authorization": f"Bearer {token}"}
        _, socket = await elsewhere.watch(f"{PATH}/stream", hears=True, headers=shown)
        await _until_told(socket, SAID[:2])
        await transact(store, CHAT, send("more"), step(says("second")), FinishTurn())
        await _until_told(socket, SAID[2:])
        # As the page does for who looks at it.
        reader = Client(app, token)
        newest = (await reader.get(PATH)).json["last_message_id"]
        await reader.put(f"{PATH}/mark", {"read_id": newest})

    assert before == (True, 0)
    assert await _unread(client) == before
    assert await _unread(reader) == (False, newest)
    assert [chat["id"] for chat in (await client.get(CHATS, unread=True)).json["chats"]] == [CHAT]


async def _until_told(socket: Any, texts: list[str]) -> None:
    picture = Picture()
    while [part["text"] for each in picture.messages.values() for part in each["content"]] != texts:
        picture.apply(await socket.receive_json())


async def _unread(client: Client) -> tuple[bool, int]:
    chat = (await client.get(PATH)).json
    return chat["has_unread"], chat["last_read_message_id"]
