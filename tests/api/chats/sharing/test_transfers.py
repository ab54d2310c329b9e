"""Handing a chat over."""

import pytest
from starlette.types import ASGIApp

from chatd.domain.approvals.rule import AddRule, KeptRule, Rule, Verdict
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.kit.codec import encode_text
from chatd.storage.reads.read import read_chat, read_everything
from chatd.storage.tables.search import chats_behind
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Client
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import failure
from tests.words import user as user_says

DAY_SECONDS = 24 * 3600


@pytest.fixture
async def chat_id(client: Client, store: Store) -> str:
    """One at rest, with a key, a pin, and a file."""
    uploaded = await client.ask(
        "POST",
        "/api/v1/files",
        b"words",
        headers={"content-type": "text/plain", "content-disposition": 'attachment; filename="a.txt"'},
    )
    content = [{"type": "text", "text": "hello"}, {"type": "file", "file_id": uploaded.json["id"]}]
    chat = (await client.post(CHATS, {"content": content, "key": "mine"})).json
    await transact(store, ChatId(chat["id"]), FailTurn(failure=failure()))
    await client.put(f"{CHATS}/{chat['id']}/mark", {"pin_order": 3, "read_id": 1})
    return str(chat["id"])


@proves("people", 32)
async def test_who_accepts_owns_it_from_then_on(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    """Keys, prompts, budgets and rules are looked up by the owner; those of the chat itself are forgotten."""
    anna, user = await somebody(app, store, "anna")
    rule = KeptRule(rule=Rule(verdict=Verdict.ALLOW, tool="execute"), created_at=Micros(1))
    await transact(store, ChatId(chat_id), ChangeRules(changes=(AddRule(kept=rule),)))
    path = f"{CHATS}/{chat_id}"

    offered = (await client.post(f"{path}/transfer", {"to": "anna", "keep": "reader"})).json
    assert (offered["to_id"], offered["by_id"], offered["done"]) == (user.id, "owner", False)
    assert [each["chat_id"] for each in (await anna.get("/api/v1/transfers")).json["transfers"]] == [chat_id]
    assert [each["to_name"] for each in (await client.get("/api/v1/transfers")).json["offered"]] == ["anna"]
    assert (await anna.get(path)).status == 404
    accepted = (await anna.post(f"{path}/transfer/accept", {})).json

    assert (accepted["owner_id"], accepted["access"], accepted["key"]) == (user.id, "owner", None)
    assert (accepted["pin_order"], accepted["last_read_message_id"]) == (0, 0)
    seen = (await client.get(path)).json
    assert (seen["access"], seen["pin_order"], seen["last_read_message_id"]) == ("reader", 3, 1)
    everything = await read_everything(store.db, ChatId(chat_id))
    assert everything is not None
    assert everything.rules == ()
    # The file that only this chat refers to counts for its new owner, and its words are indexed anew.
    named = encode_text(everything.files)
    files = await store.db.read(lambda tx: tx.all("media_types_for_message", named, user.id, ""))
    assert len(files) == 1
    assert await chats_behind(store.db, limit=10) == [chat_id]
    assert (await client.get(CHATS)).json["chats"] == []
    assert (await anna.get("/api/v1/transfers")).json == {"transfers": [], "offered": []}


@proves("people", 31)
async def test_a_family_of_which_a_member_works_is_not_handed_over(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    child = CreateChat(
        id=ChatId("busy-child"),
        owner_id=UserId("owner"),
        messages=(user_says("look"),),
        title="A child",
        parent_id=ChatId(chat_id),
        root_id=ChatId(chat_id),
    )
    await create_chat(store, child)
    path = f"{CHATS}/{chat_id}/transfer"
    await client.post(path, {"to": "anna"})
    before = await read_everything(store.db, ChatId(chat_id))

    refused = await anna.post(f"{path}/accept", {})

    assert (refused.status, refused.error["code"]) == (409, "busy")
    assert await read_everything(store.db, ChatId(chat_id)) == before
    assert (await client.get(path)).status == 200

    await transact(store, child.id, FailTurn(failure=failure()))
    assert (await anna.post(f"{path}/accept", {})).status == 200
    after = await read_chat(store.db, child.id)
    assert after is not None
    assert after.owner_id != "owner"


async def test_an_offer_can_be_declined_taken_back_and_ends_by_itself(
    app: ASGIApp, store: Store, client: Client, chat_id: str, clock: MovedClock
) -> None:
    anna, _ = await somebody(app, store, "anna")
    path = f"{CHATS}/{chat_id}/transfer"
    await client.post(path, {"to": "anna"})
    assert (await anna.post(f"{path}/decline", {})).status == 204
    assert (await anna.post(f"{path}/accept", {})).error["code"] == "chat_not_found"

    await client.post(path, {"to": "anna"})
    assert (await client.delete(path)).status == 204
    assert (await client.delete(path)).error["code"] == "transfer_not_found"
    assert (await anna.post(f"{path}/accept", {})).status == 404

    await client.post(path, {"to": "anna"})
    await clock.advance(15 * DAY_SECONDS)
    assert (await anna.post(f"{path}/accept", {})).status == 404
    assert (await client.post(f"{path}/accept", {})).error["code"] == "no_offer"


async def test_an_administrator_hands_a_chat_over_with_a_reason(
    app: ASGIApp, store: Store, client: Client, admin: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    path = f"{CHATS}/{chat_id}/transfer"

    assert (await admin.post(path, {"to": "anna"})).error["field"] == "reason"
    assert (await client.post(path, {"to": "anna", "reason": "why not"})).error["field"] == "reason"
    assert (await admin.post(path, {"to": "anna", "reason": "They left."})).json["done"] is True

    assert (await anna.get(f"{CHATS}/{chat_id}")).json["access"] == "owner"
    assert (await client.get(f"{CHATS}/{chat_id}")).status == 404


async def test_only_who_may_have_chats_is_handed_one(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    await somebody(app, store, "vera", UserRole.VIEWER)
    path = f"{CHATS}/{chat_id}/transfer"

    assert (await client.post(path, {"to": "vera"})).error["code"] == "cannot_receive"
    assert (await client.post(path, {"to": "owner"})).error["code"] == "cannot_receive"
    assert (await client.post(path, {"to": "nobody"})).error["code"] == "user_not_found"


async def test_readers_and_writers_hand_nothing_over(
    app: ASGIApp, store: Store, client: Client, chat_id: str
) -> None:
    anna, _ = await somebody(app, store, "anna")
    await share(client, chat_id, "user/anna", "writer")
    path = f"{CHATS}/{chat_id}/transfer"

    assert (await anna.post(path, {"to": "anna"})).status == 403
    assert (await anna.post(f"{path}/accept", {})).status == 403
    await client.post(path, {"to": "anna"})
    assert (await anna.post(f"{path}/accept", {})).json["access"] == "owner"
    assert (await anna.get(f"{path.removesuffix('/transfer')}/grants")).json == {"grants": []}
