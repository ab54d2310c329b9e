from msgspec.structs import replace

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Cost, Usage
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.usage.charge import Charge, Fate
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import CHATS, Client
from tests.words import (
    CLIENT_TOOL,
    asks_first,
    call,
    client_call,
    failure,
    question,
    retry,
    said,
    says,
    send,
    step,
)


async def test_a_chat_tells_whom_it_waits_for_and_until_when(client: Client, store: Store) -> None:
    chat = await client.start_chat(client_tools=[{"name": CLIENT_TOOL}])
    reply = says("Help me.", client_call("c1"), call("c2", args={"path": "a"}), call("c3", "ask_user"))
    await transact(
        store, ChatId(chat["id"]), step(reply, plans=(asks_first("c2"), question("c3"))), RequireAction()
    )

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert shown["status"] == "requires_action"
    assert shown["waiting_for"] == [
        {
            "tool_call_id": "c1",
            "message_id": 2,
            "tool_name": CLIENT_TOOL,
            "args": None,
            "kind": "result",
            "deadline": "2027-01-15T08:05:00.000000Z",
        },
        {
            "tool_call_id": "c2",
            "message_id": 2,
            "tool_name": "read_file",
            "args": {"path": "a"},
            "kind": "approval",
            "deadline": None,
            "approval": {
                "programs": [],
                "unsure": None,
                "danger": None,
                "reads": [],
                "writes": [],
                "hosts": [],
                "preview": None,
                "scopes": [{"scope": "once", "rules": []}],
            },
        },
        {
            "tool_call_id": "c3",
            "message_id": 2,
            "tool_name": "ask_user",
            "args": None,
            "kind": "answer",
            "deadline": None,
        },
    ]


async def test_a_chat_shows_its_queue_in_order(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await transact(store, ChatId(chat["id"]), send("first"), send("second", When.STEER))

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    common = {"chat_id": chat["id"], "created_at": START, "created_by": "owner"}
    assert shown["queue"] == [
        {"id": 2, "content": [{"type": "text", "text": "first"}], "when": "queue", **common},
        {"id": 3, "content": [{"type": "text", "text": "second"}], "when": "steer", **common},
    ]


async def test_a_chat_shows_why_it_stopped(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await transact(store, ChatId(chat["id"]), FailTurn(failure=failure("The model is gone.")))

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert (shown["status"], shown["last_error"]) == (
        "error",
        {"message": "The model is gone.", "kind": "generic", "retryable": False},
    )


async def test_a_chat_shows_that_it_will_try_again(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await transact(store, ChatId(chat["id"]), RecordRetry(retry=retry()))

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert shown["retry"] == {
        "attempt": 1,
        "delay_ms": 1000,
        "error": "busy",
        "kind": "generic",
        "retrying_at": "2027-01-15T08:00:00Z",
    }


async def test_a_chat_tells_what_it_has_used_and_cost_in_all_its_branches(
    client: Client, store: Store
) -> None:
    chat = await client.start_chat()
    used = Usage(input_tokens=70, output_tokens=5, context_limit=1000)
    priced = replace(says("Hi.", usage=used), cost=Cost(micros=300, source="book"))
    lost = Charge(history=1, attempt=1, model="p/m", operation="reply", fate=Fate.EMPTY, usage=used)
    await transact(
        store,
        ChatId(chat["id"]),
        RecordCharges(charges=(lost,)),
        step(priced),
        EditMessage(message_id=MessageId(1), content=said("Again.")),
    )

    shown = (await client.get(f"{CHATS}/{chat['id']}")).json

    assert shown["usage_total"] == {"input_tokens": 140, "output_tokens": 10}
    assert (shown["cost_micros_total"], shown["unpriced_calls"]) == (300, 1)
