"""The mode of a chat: set when it is made, with a message, with answers, or by itself."""

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.words import says, step

TEXT = [{"type": "text", "text": "hello"}]


async def mode(client: Client, chat_id: str) -> object:
    return (await client.get(f"{CHATS}/{chat_id}")).json["mode"]


async def test_a_chat_acts_unless_it_is_made_to_plan(client: Client) -> None:
    assert (await client.start_chat())["mode"] is None
    assert (await client.start_chat(mode="plan"))["mode"] == "plan"


async def test_a_message_and_a_change_of_the_chat_set_and_clear_the_mode(
    client: Client, store: Store
) -> None:
    chat_id = (await client.start_chat())["id"]
    path = f"{CHATS}/{chat_id}"
    await transact(store, ChatId(chat_id), step(says("Hello.")), FinishTurn())

    await client.post(f"{path}/messages", {"content": TEXT, "mode": "plan"})
    assert await mode(client, chat_id) == "plan"
    assert (await client.patch(path, {"mode": None})).json["mode"] is None
    assert (await client.patch(path, {"mode": "plan"})).json["mode"] == "plan"
    await client.patch(path, {"title": "another"})
    assert await mode(client, chat_id) == "plan"


async def test_a_queued_message_sets_the_mode_when_it_is_heard(client: Client) -> None:
    chat_id = (await client.start_chat())["id"]

    sent = await client.post(f"{CHATS}/{chat_id}/messages", {"content": TEXT, "mode": "plan"})

    assert sent.json["queued"]
    assert await mode(client, chat_id) is None


@pytest.mark.parametrize("given", ["act", "", 1, True])
async def test_another_mode_is_refused(client: Client, given: object) -> None:
    answer = await client.post(CHATS, {"content": TEXT, "mode": given})

    assert (answer.status, answer.json["error"]["field"]) == (400, "mode")


async def test_only_the_owner_chooses_the_mode(client: Client, admin: Client) -> None:
    chat_id = (await client.start_chat())["id"]

    assert (await admin.patch(f"{CHATS}/{chat_id}", {"mode": "plan"})).status == 403
    assert await mode(client, chat_id) is None
