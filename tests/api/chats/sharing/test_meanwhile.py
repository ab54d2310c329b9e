"""Access that ends between the look at a chat and the lock of its row: then nothing is done to it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Answer, Client
from tests.support.catalog_stores import some_catalog_store
from tests.words import failure

SAID = {"content": [{"type": "text", "text": "mine again"}]}


class Meanwhile:
    """A database before one of whose next writes something else happens."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self._writes_before = 0
        self._happens: Callable[[], Awaitable[object]] | None = None

    def before_write(self, number: int, happens: Callable[[], Awaitable[object]]) -> None:
        self._writes_before, self._happens = number - 1, happens

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        happens = self._happens
        if happens is not None and self._writes_before == 0:
            self._happens = None
            await happens()
        self._writes_before -= 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


@pytest.fixture
def meanwhile(store: Store) -> Meanwhile:
    return Meanwhile(store.db)


@pytest.fixture
async def slow(store: Store, meanwhile: Meanwhile, client: Client) -> Client:
    """The owner, at a server between whose look and lock others do something."""
    other = Store(meanwhile, store.hints)
    caller = Client(build(other, catalog_store=some_catalog_store(other)), client.token)
    await caller.get("/api/v1/users/me")
    return caller


@pytest.fixture
async def chat_id(client: Client, store: Store) -> ChatId:
    """One at rest."""
    chat_id = ChatId((await client.start_chat())["id"])
    await transact(store, chat_id, FailTurn(failure=failure()))
    return chat_id


async def _handed_over(app: ASGIApp, store: Store, client: Client, chat_id: str, keep: str) -> Any:
    """Hands the chat over to Anna, when it is called."""
    anna, _ = await somebody(app, store, "anna")
    await client.post(f"{CHATS}/{chat_id}/transfer", {"to": "anna", "keep": keep})

    async def accept() -> None:
        assert (await anna.post(f"{CHATS}/{chat_id}/transfer/accept", {})).status == 200

    return accept


ASKED: dict[str, Callable[[Client, str], Awaitable[Answer]]] = {
    "rename": lambda caller, path: caller.patch(path, {"title": "Mine"}),
    "label": lambda caller, path: caller.patch(path, {"labels": {"a": "b"}}),
    "set up": lambda caller, path: caller.patch(path, {"mode": "plan"}),
    "archive": lambda caller, path: caller.patch(path, {"archived": True}),
    "delete": lambda caller, path: caller.delete(path),
    "edit": lambda caller, path: caller.patch(f"{path}/messages/1", SAID),
    "read the context": lambda caller, path: caller.put(f"{path}/context", {}),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=list(ASKED))
async def test_who_has_just_handed_a_chat_over_changes_nothing_in_it(
    app: ASGIApp,
    store: Store,
    client: Client,
    slow: Client,
    meanwhile: Meanwhile,
    chat_id: ChatId,
    ask: Callable[[Client, str], Awaitable[Answer]],
) -> None:
    accept = await _handed_over(app, store, client, chat_id, "nothing")
    seen: list[object] = []

    async def handed_over() -> None:
        await accept()
        seen.append(await read_chat(store.db, chat_id))

    meanwhile.before_write(1, handed_over)
    answer = await ask(slow, f"{CHATS}/{chat_id}")

    assert (answer.status, answer.error["code"]) == (404, "chat_not_found")
    assert [await read_chat(store.db, chat_id)] == seen


async def test_who_may_not_write_any_more_stops_nobody(
    app: ASGIApp, store: Store, client: Client, meanwhile: Meanwhile
) -> None:
    chat_id = (await client.start_chat())["id"]
    writer, user = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", "writer")
    other = Store(meanwhile, store.hints)
    slow = Client(build(other, catalog_store=some_catalog_store(other)), writer.token)
    await slow.get("/api/v1/users/me")

    meanwhile.before_write(1, lambda: client.delete(f"{CHATS}/{chat_id}/grants/user/{user.id}"))
    answer = await slow.post(f"{CHATS}/{chat_id}/interrupt", {})

    assert (answer.status, answer.error["code"]) == (404, "chat_not_found")
    assert (await client.get(f"{CHATS}/{chat_id}")).json["status"] == "running"


@pytest.mark.parametrize(
    ("writes", "ask"),
    [
        (1, lambda caller, path: caller.patch(path, {"pin_order": 7})),
        (2, lambda caller, path: caller.put(f"{path}/mark", {"pin_order": 7})),
    ],
    ids=["patch", "mark"],
)
async def test_marks_of_who_has_just_handed_a_chat_over_are_not_the_new_owners(
    app: ASGIApp,
    store: Store,
    client: Client,
    slow: Client,
    meanwhile: Meanwhile,
    chat_id: ChatId,
    writes: int,
    ask: Callable[[Client, str], Awaitable[Answer]],
) -> None:
    accept = await _handed_over(app, store, client, chat_id, "reader")

    meanwhile.before_write(writes, accept)
    answer = await ask(slow, f"{CHATS}/{chat_id}")

    assert (answer.status, answer.error["code"]) == (409, "owner_changed")
    chat = await read_chat(store.db, chat_id)
    assert chat is not None
    assert chat.pin_order == 0
