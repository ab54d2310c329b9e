"""A token for one family of chats: every other one is as if it did not exist."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.ids import new_id
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.worker.search_index import index_all
from tests.api.accounts.test_services import ME, USER_TOKENS, Program, program
from tests.api.chats.sharing.words import share
from tests.api.client import CHATS, Client
from tests.api.files.test_files import FILES, send
from tests.clock import HurriedClock
from tests.traceability import proves
from tests.words import failure, says, step, user


@pytest.fixture
async def shop(app: ASGIApp, admin: Client) -> Program:
    return await program(app, admin)


@pytest.fixture
async def chats(shop: Program) -> list[Any]:
    return [await shop.start_chat("customer-7") for _ in range(2)]


@pytest.fixture
async def page(app: ASGIApp, shop: Program, chats: list[Any]) -> Client:
    made = await shop.itself.post(USER_TOKENS, {"user": "customer-7", "chat_id": chats[0]["id"]})
    assert made.status == 201, made.body
    return Client(app, made.json["token"])


@proves("people", 17)
async def test_with_a_token_for_one_chat_others_are_not_found_and_not_listed(
    page: Client, chats: list[Any], store: Store
) -> None:
    ours, other = chats
    await index_all(store.db, HurriedClock())

    assert (await page.get(f"{CHATS}/{ours['id']}")).status == 200
    for path in ("", "/messages", "/export", "/children"):
        missing = await page.get(f"{CHATS}/{other['id']}{path}")
        assert (missing.status, missing.error["code"]) == (404, "chat_not_found")
    for query in ({}, {"q": "hello"}, {"title": "HELL"}):
        assert [each["id"] for each in (await page.get(CHATS, **query)).json["chats"]] == [ours["id"]]
    for query in ({"archived": "true"}, {"title": "no"}, {"label": "a:b"}, {"key": "k"}, {"q": "nothing"}):
        assert (await page.get(CHATS, **query)).json["chats"] == []


async def test_it_is_good_for_the_chats_that_work_for_that_one(
    page: Client, chats: list[Any], store: Store
) -> None:
    root, owner = ChatId(chats[0]["id"]), UserId(chats[0]["owner_id"])
    child = ChatId(new_id())
    command = CreateChat(id=child, owner_id=owner, messages=(user("go"),), parent_id=root, root_id=root)
    await create_chat(store, command)

    assert (await page.get(f"{CHATS}/{child}")).status == 200


async def test_it_makes_no_chats_and_no_tokens(page: Client, chats: list[Any]) -> None:
    said = {"content": [{"type": "text", "text": "more"}]}

    refused = await page.post(CHATS, said)

    assert (refused.status, refused.error["code"]) == (403, "not_permitted")
    assert (await page.post(f"{ME}/tokens", {"name": "mine"})).status == 403
    assert (await page.post(f"{CHATS}/{chats[0]['id']}/messages", said)).status == 200


async def test_files_of_other_chats_are_not_read_and_not_attached(
    app: ASGIApp, shop: Program, page: Client, chats: list[Any]
) -> None:
    everywhere = Client(app, (await shop.itself.post(USER_TOKENS, {"user": "customer-7"})).json["token"])
    files = [(await send(everywhere)).json["id"] for _ in range(3)]
    for chat, file_id in zip(chats, files, strict=False):
        said = {"content": [{"type": "file", "file_id": file_id}]}
        assert (await everywhere.post(f"{CHATS}/{chat['id']}/messages", said)).status == 200

    seen = [(await page.get(f"{FILES}/{file_id}")).status for file_id in files]

    # The last one is attached to nothing yet: the page may have sent it.
    assert seen == [200, 404, 200]
    taken = {"content": [{"type": "file", "file_id": files[1]}]}
    assert (await page.post(f"{CHATS}/{chats[0]['id']}/messages", taken)).status == 400


async def test_a_list_that_is_watched_tells_of_no_other_chat(
    app: ASGIApp, shop: Program, page: Client, chats: list[Any]
) -> None:
    ours, other = chats
    heard: asyncio.Queue[str] = asyncio.Queue()
    incoming: asyncio.Queue[Message] = asyncio.Queue()
    await incoming.put({"type": "websocket.connect"})

    async def send_(message: Message) -> None:
        if message["type"] == "websocket.send":
            await heard.put(message["text"])

    scope = {
        "type": "websocket",
        "path": f"{CHATS}/watch",
        "raw_path": b"",
        "query_string": b"",
        "root_path": "",
        "scheme": "ws",
        "headers": [(b"authorization", f"Bearer {page.token}".encode())],
        "subprotocols": [],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    watching = asyncio.ensure_future(app(scope, incoming.get, send_))
    assert [each["type"] for each in json.loads(await heard.get())] == ["gap"]

    for chat in (other, ours):
        renamed = await shop.itself.patch(f"{CHATS}/{chat['id']}", {"title": f"Named {chat['id']}"})
        assert renamed.status == 200

    assert [each["chat_id"] for each in json.loads(await heard.get())] == [ours["id"]]
    await incoming.put({"type": "websocket.disconnect", "code": 1000})
    await watching
    assert heard.empty()


async def test_it_ends_with_its_chat(page: Client, shop: Program, chats: list[Any]) -> None:
    assert (await shop.itself.delete(f"{CHATS}/{chats[0]['id']}")).status == 204

    assert (await page.get(CHATS)).status == 401


async def test_it_is_made_for_a_chat_of_that_user_only(shop: Program, chats: list[Any]) -> None:
    for named, chat_id in (("customer-8", chats[0]["id"]), ("customer-7", "none")):
        refused = await shop.itself.post(USER_TOKENS, {"user": named, "chat_id": chat_id})
        assert (refused.status, refused.error["code"]) == (404, "chat_not_found")


async def test_people_make_such_tokens_for_their_own_chats(
    app: ASGIApp, client: Client, stranger: Client
) -> None:
    chat, other = await client.start_chat(), await client.start_chat()
    wanted = {"name": "for one", "chat_id": chat["id"]}

    made = (await client.post(f"{ME}/tokens", wanted)).json

    for_one = Client(app, made["token"])
    assert made["chat_id"] == chat["id"]
    assert (await for_one.get(f"{CHATS}/{chat['id']}")).status == 200
    assert (await for_one.get(f"{CHATS}/{other['id']}")).status == 404
    assert (await stranger.post(f"{ME}/tokens", wanted)).status == 404


async def test_offers_of_other_chats_are_not_told_accepted_or_declined(
    app: ASGIApp, client: Client, admin: Client, store: Store
) -> None:
    token = await client.post(
        f"{ME}/tokens",
        {
            "name": "one",
            "chat_id": (await client.start_chat())["id"],
            "scopes": ["chats:read", "chats:write", "chats:share"],
        },
    )
    one = Client(app, token.json["token"])
    offered = ChatId((await admin.start_chat())["id"])
    await transact(store, offered, FailTurn(failure=failure()))
    await admin.post(f"{CHATS}/{offered}/transfer", {"to": "owner", "keep": "nothing"})

    assert (await one.get("/api/v1/transfers")).json == {"transfers": [], "offered": []}
    for answer in ("accept", "decline"):
        refused = await one.post(f"{CHATS}/{offered}/transfer/{answer}", {})
        assert (refused.status, refused.error["code"]) == (404, "chat_not_found")

    assert [each["chat_id"] for each in (await client.get("/api/v1/transfers")).json["transfers"]] == [
        offered
    ]
    chat = await read_chat(store.db, offered)
    assert chat is not None
    assert chat.owner_id != "owner"


async def test_unread_is_what_its_user_has_not_read_and_not_its_owner(
    app: ASGIApp, client: Client, admin: Client, store: Store
) -> None:
    """Whether it is found by a word or only listed."""
    chat_id = ChatId((await admin.start_chat())["id"])
    await transact(store, chat_id, step(says("hi")), FinishTurn())
    await index_all(store.db, HurriedClock())
    await share(admin, chat_id, "user/owner")
    token = await client.post(f"{ME}/tokens", {"name": "one", "chat_id": chat_id, "scopes": ["chats:read"]})
    one = Client(app, token.json["token"])

    async def listed(**query: object) -> list[str]:
        return [each["id"] for each in (await one.get(CHATS, **query)).json["chats"]]

    await admin.put(f"{CHATS}/{chat_id}/mark", {"read_id": 2})
    assert (await listed(unread="true"), await listed(unread="true", q="hi")) == ([chat_id], [chat_id])
    assert (await listed(unread="false"), await listed(unread="false", q="hi")) == ([], [])
    await client.put(f"{CHATS}/{chat_id}/mark", {"read_id": 2})
    assert (await listed(unread="true"), await listed(unread="true", q="hi")) == ([], [])
    assert (await listed(unread="false"), await listed(unread="false", q="hi")) == ([chat_id], [chat_id])
