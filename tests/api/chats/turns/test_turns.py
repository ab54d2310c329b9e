from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import client_call, failure, retry, says, send, step


async def a_chat(client: Client, store: Store, *commands: Any) -> str:
    chat = await client.start_chat("hello", client_tools=[{"name": "open_tab"}])
    if commands:
        await transact(store, ChatId(chat["id"]), *commands)
    return f"{CHATS}/{chat['id']}"


async def test_a_working_agent_is_told_to_stop(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    answer = await client.post(f"{path}/interrupt", {})

    assert (answer.status, answer.json["status"]) == (200, "interrupting")
    # What the chat is set up with is shown when one looks at it.
    assert answer.json.items() <= (await client.get(path)).json.items()


async def test_a_turn_is_stopped_by_its_message_and_a_newer_one_is_not(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn(), send("more"))
    assert (await client.get(path)).json["last_message_id"] == 3

    refused = await client.post(f"{path}/interrupt", {"message_id": 1})
    unknown = await client.post(f"{path}/interrupt", {"message_id": 9})
    stopped = await client.post(f"{path}/interrupt", {"message_id": 3})

    assert (refused.status, refused.error["code"]) == (409, "newer_turn")
    assert (unknown.status, unknown.error["code"]) == (404, "message_not_found")
    assert (stopped.status, stopped.json["status"]) == (200, "interrupting")


async def test_a_stop_needs_no_body(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    assert (await client.ask("POST", f"{path}/interrupt")).json["status"] == "interrupting"


async def test_an_agent_that_waits_for_a_client_need_not_wait_any_more(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("", client_call("c"))), RequireAction())

    chat = (await client.post(f"{path}/interrupt", {})).json

    # The turn is over: no model is asked what to make of it.
    assert (chat["status"], chat["waiting_for"], chat["finish_reason"]) == ("waiting", [], "interrupted")


@proves("api", 43)
@pytest.mark.parametrize("commands", [(FinishTurn(),), (FailTurn(failure=failure()),)])
async def test_an_agent_at_rest_cannot_be_stopped(client: Client, store: Store, commands: Any) -> None:
    path = await a_chat(client, store, *commands)

    answer = await client.post(f"{path}/interrupt", {})

    assert (answer.status, answer.error["code"]) == (409, "not_allowed")


async def test_an_administrator_may_stop_an_agent(client: Client, store: Store, admin: Client) -> None:
    path = await a_chat(client, store)

    assert (await admin.post(f"{path}/interrupt", {})).status == 200


async def test_a_history_is_compacted_on_request(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())

    answer = await client.post(f"{path}/compact", {})

    assert (answer.status, answer.json["status"]) == (200, "running")


@proves("api", 44)
async def test_where_nothing_was_said_there_is_nothing_to_compact(client: Client, store: Store) -> None:
    path = await a_chat(client, store, FinishTurn())

    assert (await client.post(f"{path}/compact", {})).error["code"] == "nothing_to_compact"


async def test_a_busy_chat_is_not_compacted(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")))

    assert (await client.post(f"{path}/compact", {})).status == 409


async def test_only_the_owner_has_a_history_compacted(client: Client, store: Store, admin: Client) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())

    assert (await admin.post(f"{path}/compact", {})).status == 403


async def test_a_failed_turn_is_tried_again(client: Client, store: Store) -> None:
    path = await a_chat(client, store, FailTurn(failure=failure()))
    assert (await client.get(path)).json["last_error"]["message"] == "The model is gone."

    chat = (await client.post(f"{path}/retry", {})).json

    assert (chat["status"], chat["last_error"]) == ("running", None)


async def test_a_pending_retry_happens_now(client: Client, store: Store) -> None:
    path = await a_chat(client, store, RecordRetry(retry=retry()))
    assert (await client.get(path)).json["retry"]["attempt"] == 1

    assert (await client.post(f"{path}/retry", {})).json["retry"] is None


@pytest.mark.parametrize(("commands", "code"), [((), "nothing_to_retry"), ((FinishTurn(),), "not_allowed")])
async def test_where_nothing_failed_there_is_nothing_to_try_again(
    client: Client, store: Store, commands: Any, code: str
) -> None:
    path = await a_chat(client, store, *commands)

    answer = await client.post(f"{path}/retry", {})

    assert (answer.status, answer.error["code"]) == (409, code)


@pytest.mark.parametrize("deed", ["interrupt", "compact", "retry"])
async def test_nothing_runs_in_the_archive_or_for_strangers(
    client: Client, store: Store, stranger: Client, deed: str
) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())
    await client.patch(path, {"archived": True})

    assert (await client.post(f"{path}/{deed}", {})).error["code"] == "archived"
    assert (await stranger.post(f"{path}/{deed}", {})).status == 404
    assert (await client.get(f"{path}/{deed}")).status == 405
