from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import client_call, failure, says, send, step

TEXT = {"type": "text", "text": "and a moon?"}
SENT = {"content": [TEXT]}


async def a_chat(client: Client, store: Store, *commands: Any, **fields: object) -> str:
    """A chat that went through these commands; its path."""
    chat = await client.start_chat("hello", **fields)
    if commands:
        await transact(store, ChatId(chat["id"]), *commands)
    return f"{CHATS}/{chat['id']}"


@proves("api", 25)
async def test_an_idle_agent_hears_a_message_at_once(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())

    answer = await client.post(f"{path}/messages", SENT | {"model": "some/model", "reasoning_effort": "high"})

    assert answer.status == 200
    assert answer.json == {
        "queued": False,
        "message": {
            "id": 3,
            "chat_id": path.rpartition("/")[2],
            "role": "user",
            "content": [TEXT],
            "created_at": START,
            "created_by": "owner",
            "model": "some/model",
            "reasoning_effort": "high",
        },
    }
    chat = (await client.get(path)).json
    assert (chat["status"], chat["last_model"], chat["last_reasoning_effort"]) == (
        "running",
        "some/model",
        "high",
    )


@proves("api", 26)
@pytest.mark.parametrize("when", ["queue", "steer"])
async def test_a_busy_agent_hears_it_later(client: Client, store: Store, when: str) -> None:
    path = await a_chat(client, store)

    answer = await client.post(f"{path}/messages", SENT | {"when": when})

    assert answer.json == {
        "queued": True,
        "queued_message": {
            "id": 2,
            "chat_id": path.rpartition("/")[2],
            "content": [TEXT],
            "created_at": START,
            "created_by": "owner",
            "when": when,
        },
    }
    chat = (await client.get(path)).json
    assert (chat["status"], [row["id"] for row in chat["queue"]]) == ("running", [2])


async def test_a_message_waits_behind_the_turn_unless_told_otherwise(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    sent = (await client.post(f"{path}/messages", SENT)).json

    assert sent["queued_message"]["when"] == "queue"


@proves("api", 26)
async def test_a_message_can_stop_what_runs(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    sent = (await client.post(f"{path}/messages", SENT | {"when": "interrupt"})).json

    assert sent["queued"] is True
    assert (await client.get(path)).json["status"] == "interrupting"


async def test_a_message_to_an_agent_that_waits_for_a_client_is_kept(client: Client, store: Store) -> None:
    path = await a_chat(
        client,
        store,
        step(says("", client_call("c"))),
        RequireAction(),
        client_tools=[{"name": "open_tab"}],
    )

    assert (await client.post(f"{path}/messages", SENT)).json["queued"] is True
    assert (await client.get(path)).json["status"] == "requires_action"


async def test_after_a_failure_what_waited_goes_first(client: Client, store: Store) -> None:
    path = await a_chat(client, store, send("first"), FailTurn(failure=failure()))

    sent = (await client.post(f"{path}/messages", SENT)).json

    assert sent["queued"] is True
    chat = (await client.get(path)).json
    assert (chat["status"], [row["id"] for row in chat["queue"]]) == (
        "running",
        [sent["queued_message"]["id"]],
    )


@proves("api", 27)
async def test_the_twenty_first_waiting_message_is_refused(client: Client, store: Store) -> None:
    path = await a_chat(client, store, *(send(str(n)) for n in range(20)))

    answer = await client.post(f"{path}/messages", SENT)

    assert (answer.status, answer.error["code"]) == (429, "queue_full")


@proves("api", 17)
async def test_only_the_owner_sends(client: Client, store: Store, admin: Client, stranger: Client) -> None:
    path = await a_chat(client, store)

    refused = await admin.post(f"{path}/messages", SENT)
    assert (refused.status, refused.error["code"]) == (403, "not_permitted")
    assert (await stranger.post(f"{path}/messages", SENT)).status == 404
    assert (await client.get(path)).json["queue"] == []


@proves("api", 28)
async def test_an_archived_chat_takes_no_message(client: Client, store: Store) -> None:
    path = await a_chat(client, store, FinishTurn())
    await client.patch(path, {"archived": True})

    answer = await client.post(f"{path}/messages", SENT)

    assert (answer.status, answer.error["code"]) == (400, "archived")


@proves("api", 30)
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"content": []}, "content"),
        ({"content": [{"type": "text", "text": " "}]}, "content[0]"),
        ({"content": [{"type": "reasoning", "text": "hm"}]}, "content[0]"),
        ({"content": [TEXT, {"type": "file", "file_id": "gone", "media_type": "a/b"}]}, "content[1]"),
        (SENT | {"when": "now"}, "when"),
        (SENT | {"reasoning_effort": "huge"}, "reasoning_effort"),
        (SENT | {"model": ""}, "model"),
        (SENT | {"model": "a\nb"}, "model"),
        (SENT | {"busy_behavior": "queue"}, "busy_behavior"),
        ({}, "content"),
    ],
)
async def test_a_message_that_cannot_be_is_refused(
    client: Client, store: Store, body: dict[str, Any], field: str
) -> None:
    path = await a_chat(client, store)

    answer = await client.post(f"{path}/messages", body)

    assert (answer.status, answer.error["field"]) == (400, field)
    assert (await client.get(path)).json["queue"] == []


async def test_a_message_that_is_too_large_is_refused(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    answer = await client.post(f"{path}/messages", {"content": [{"type": "text", "text": "x" * 262_144}]})

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


@proves("api", 38)
async def test_what_users_said_is_listed_newest_first(client: Client, store: Store, stranger: Client) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn(), send("again"), step(says("yes")))

    assert (await client.get(f"{path}/prompts")).json == {
        "prompts": [{"id": 3, "text": "again"}, {"id": 1, "text": "hello"}]
    }
    assert (await client.get(f"{path}/prompts", limit=1)).json == {"prompts": [{"id": 3, "text": "again"}]}
    assert len((await client.get(f"{path}/prompts", limit=0)).json["prompts"]) == 2
    assert (await client.get(f"{path}/prompts", limit=2001)).error["field"] == "limit"
    assert (await stranger.get(f"{path}/prompts")).status == 404
