from typing import Any

import pytest

from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId, MessageId
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import asks_first, call, client_call, question, questions, says, step

TOOLS = [{"name": "open_tab"}]


async def a_waiting_chat(client: Client, store: Store) -> str:
    """Waits for a client's result, an approval and an answer to a question."""
    chat = await client.start_chat("hello", client_tools=TOOLS)
    reply = says("", client_call("tab"), call("run"), call("ask"))
    await transact(
        store, ChatId(chat["id"]), step(reply, plans=(asks_first("run"), question("ask"))), RequireAction()
    )
    return f"{CHATS}/{chat['id']}"


RESULT = {"tool_call_id": "tab", "output": {"title": "News"}}
APPROVAL = {"tool_call_id": "run", "decision": "allow"}
ANSWER = {"tool_call_id": "ask", "answer": "blue"}
ALL = {"results": [RESULT], "approvals": [APPROVAL], "answers": [ANSWER]}


async def waiting_for(client: Client, path: str) -> list[tuple[str, str]]:
    return [(w["tool_call_id"], w["kind"]) for w in (await client.get(path)).json["waiting_for"]]


async def test_a_chat_says_what_it_waits_for(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    assert await waiting_for(client, path) == [("tab", "result"), ("run", "approval"), ("ask", "answer")]


@proves("api", 45)
async def test_with_everything_answered_the_agent_goes_on(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    answer = await client.post(f"{path}/actions", ALL)

    assert (answer.status, answer.json["status"], answer.json["waiting_for"]) == (200, "running", [])
    messages = (await client.get(f"{path}/messages")).json["messages"]
    results = {
        part["tool_call_id"]: part["result"] for message in messages[:2] for part in message["content"]
    }
    assert results == {"tab": {"title": "News"}, "ask": "blue"}


async def test_an_answer_tells_the_messages_that_it_added(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    first = (await client.post(f"{path}/actions", {"results": [RESULT]})).json
    rest = (await client.post(f"{path}/actions", {"approvals": [APPROVAL], "answers": [ANSWER]})).json

    # An approval adds none: the call may run now.
    assert (first["message_ids"], rest["message_ids"]) == ([3], [4])
    assert (first["last_message_id"], rest["last_message_id"]) == (3, 4)


async def test_any_part_of_it_may_be_answered(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    for body, left in (
        ({"answers": [ANSWER]}, ["tab", "run"]),
        ({"results": [RESULT]}, ["run"]),
        ({"approvals": [APPROVAL]}, []),
    ):
        chat = (await client.post(f"{path}/actions", body)).json
        assert [w["tool_call_id"] for w in chat["waiting_for"]] == left
        assert chat["status"] == ("requires_action" if left else "running")


@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_a_decision_is_kept_with_who_made_it_and_why(
    client: Client, store: Store, decision: str
) -> None:
    path = await a_waiting_chat(client, store)
    approval = APPROVAL | {"decision": decision, "reason": "Because.", "scope": "once"}

    await client.post(f"{path}/actions", {"approvals": [approval]})

    everything = await read_everything(store.db, ChatId(path.rpartition("/")[2]))
    assert everything is not None
    (decided,) = (c for c in everything.calls if c.id == "run")
    state = "open" if decision == "allow" else "answered"
    assert (decided.state, decided.decided_by, decided.reason) == (state, "owner", "Because.")
    assert decided.decided_at is not None


async def open_calls(client: Client, path: str) -> dict[str, dict[str, Any]]:
    messages = (await client.get(f"{path}/messages")).json["messages"]
    return {call["tool_call_id"]: call for message in messages for call in message.get("open_calls", ())}


async def test_a_message_tells_how_far_its_calls_are_until_they_have_results(
    client: Client, store: Store
) -> None:
    path = await a_waiting_chat(client, store)
    assert {name: call["state"] for name, call in (await open_calls(client, path)).items()} == {
        "tab": "awaiting_result",
        "run": "awaiting_approval",
        "ask": "awaiting_answer",
    }

    await client.post(f"{path}/actions", {"approvals": [APPROVAL]})
    allowed = (await open_calls(client, path))["run"]
    assert (allowed["state"], allowed["decision"]["allowed"]) == ("pending", True)
    assert allowed["decision"]["by"] == "owner"

    await client.post(f"{path}/actions", {"results": [RESULT], "answers": [ANSWER]})
    chat_id, message_id = ChatId(path.rpartition("/")[2]), MessageId(2)
    await transact(store, chat_id, StartCalls(message_id=message_id, call_ids=(CallId("run"),)))
    (running,) = (await open_calls(client, path)).values()
    assert running["state"] == "running"
    assert "started_at" in running

    done = CallResult(result="ok")
    await transact(store, chat_id, FinishCall(message_id=message_id, call_id=CallId("run"), result=done))
    (finished,) = (await open_calls(client, path)).values()
    assert finished["state"] == "finished"


@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_a_result_tells_who_allowed_or_denied_its_call_and_when(
    client: Client, store: Store, decision: str
) -> None:
    path = await a_waiting_chat(client, store)
    await client.post(f"{path}/actions", ALL | {"approvals": [APPROVAL | {"decision": decision}]})
    if decision == "allow":
        await transact(store, ChatId(path.rpartition("/")[2]), Interrupt(), FinishInterruption())

    told = {
        part["tool_call_id"]: part.get("decision")
        for message in (await client.get(f"{path}/messages")).json["messages"]
        for part in message["content"]
        if part["type"] == "tool-result"
    }

    assert told["tab"] is told["ask"] is None
    assert told["run"]["allowed"] is (decision == "allow")
    assert told["run"]["by"] == "owner"
    assert told["run"]["at"].endswith("Z")
    markdown = (await client.get(f"{path}/export?format=markdown")).body.decode()
    assert ("allowed by owner" if decision == "allow" else "denied by owner") in markdown


async def test_a_decision_that_an_import_claims_is_not_believed(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)
    await client.post(f"{path}/actions", ALL | {"approvals": [APPROVAL | {"decision": "deny"}]})
    await transact(store, ChatId(path.rpartition("/")[2]), Interrupt(), FinishInterruption())
    exported = (await client.get(f"{path}/export")).json
    assert any("decision" in part for message in exported["messages"] for part in message["content"])

    imported = (await client.post(f"{CHATS}/import", exported)).json

    messages = (await client.get(f"{CHATS}/{imported['id']}/messages")).json["messages"]
    assert not any("decision" in part for message in messages for part in message["content"])


async def test_the_model_hears_why_a_call_was_denied(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    await client.post(
        f"{path}/actions", {"approvals": [APPROVAL | {"decision": "deny", "reason": "Not on Sundays."}]}
    )

    (part,) = (await client.get(f"{path}/messages")).json["messages"][0]["content"]
    assert part["is_error"] is True
    assert part["result"].endswith("Not on Sundays.")


async def test_a_call_of_which_no_rule_can_be_made_is_decided_once(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    for scope in ("chat", "always"):
        answer = await client.post(f"{path}/actions", {"approvals": [APPROVAL | {"scope": scope}]})
        assert (answer.status, answer.error["code"]) == (400, "no_rule")

    assert len(await waiting_for(client, path)) == 3


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"results": []},
        {"results": [], "approvals": [], "answers": []},
        {"results": [RESULT, RESULT]},
        {"results": [RESULT | {"tool_call_id": "nobody"}]},
        {"results": [RESULT | {"tool_call_id": ""}]},
        {"results": [{"tool_call_id": "tab"}]},
        {"results": [RESULT, RESULT | {"tool_call_id": "run"}]},
        {"answers": [ANSWER | {"tool_call_id": "tab"}]},
        {"approvals": [APPROVAL | {"decision": "maybe"}]},
        {"approvals": [APPROVAL | {"scope": "forever"}]},
        {"tool_results": [RESULT]},
    ],
)
async def test_a_bad_answer_changes_nothing(client: Client, store: Store, body: dict[str, Any]) -> None:
    path = await a_waiting_chat(client, store)
    before = (await client.get(path)).json

    answer = await client.post(f"{path}/actions", body)

    assert answer.status == 400
    assert answer.error["message"]
    assert (await client.get(path)).json == before


async def test_a_result_that_is_nested_too_deeply_is_refused(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)
    output: object = 1
    for _ in range(70):
        output = [output]

    answer = await client.post(f"{path}/actions", {"results": [RESULT | {"output": output}]})

    assert (answer.status, answer.error["code"]) == (400, "too_deep")


@proves("api", 47)
async def test_an_agent_that_waits_for_nothing_takes_no_answer(client: Client) -> None:
    chat = await client.start_chat()

    assert (await client.post(f"{CHATS}/{chat['id']}/actions", {"results": [RESULT]})).status == 409


async def test_only_the_owner_answers(client: Client, store: Store, admin: Client, stranger: Client) -> None:
    path = await a_waiting_chat(client, store)

    assert (await admin.post(f"{path}/actions", ALL)).status == 403
    assert (await stranger.post(f"{path}/actions", ALL)).status == 404


@proves("api", 28)
async def test_an_archived_chat_takes_no_answer(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await transact(store, ChatId(chat["id"]), FinishTurn())
    await client.patch(f"{CHATS}/{chat['id']}", {"archived": True})

    answer = await client.post(f"{CHATS}/{chat['id']}/actions", {"results": [RESULT]})

    assert (answer.status, answer.error["code"]) == (400, "archived")


async def an_asking_chat(client: Client, store: Store) -> str:
    chat = await client.start_chat()
    asked = question("ask", questions("wall", "door"))
    await transact(store, ChatId(chat["id"]), step(says("", call("ask")), plans=(asked,)), RequireAction())
    return f"{CHATS}/{chat['id']}"


async def test_what_is_asked_is_shown_to_one_who_looks_and_to_one_who_lists(
    client: Client, store: Store
) -> None:
    path = await an_asking_chat(client, store)

    (waiting,) = (await client.get(path)).json["waiting_for"]
    (listed,) = (await client.get(CHATS)).json["chats"]

    assert (waiting["kind"], waiting["deadline"]) == ("answer", None)
    assert [each["header"] for each in waiting["questions"]] == ["wall", "door"]
    assert waiting["questions"][0]["options"][1] == {"label": "Blue", "description": "It is Blue."}
    assert listed["waiting_for"] == [waiting]


@pytest.mark.parametrize(
    "answer", ["Red", ["Red"], ["Red", 1], ["Red", ""], {"wall": "Red"}, ["Red", "x" * 10_001], [[], []]]
)
async def test_an_answer_that_does_not_fit_the_questions_is_refused_and_the_chat_waits_on(
    client: Client, store: Store, answer: Any
) -> None:
    path = await an_asking_chat(client, store)

    refused = await client.post(f"{path}/actions", {"answers": [{"tool_call_id": "ask", "answer": answer}]})

    assert (refused.status, refused.json["error"]["code"]) == (400, "bad_answer")
    assert (await client.get(path)).json["status"] == "requires_action"


async def test_questions_are_answered_once_and_by_their_owner_alone(
    client: Client, store: Store, admin: Client, stranger: Client
) -> None:
    path = await an_asking_chat(client, store)
    body = {"answers": [{"tool_call_id": "ask", "answer": ["Red", "Blue"]}]}

    assert (await admin.post(f"{path}/actions", body)).status == 403
    assert (await stranger.post(f"{path}/actions", body)).status == 404
    assert (await client.post(f"{path}/actions", {"answers": body["answers"] * 2})).status == 400
    assert (
        await client.post(f"{path}/actions", {"approvals": [{"tool_call_id": "ask", "decision": "allow"}]})
    ).json["error"]["code"] == "wrong_action"
    assert (await client.post(f"{path}/actions", body)).json["status"] == "running"
    assert (await client.post(f"{path}/actions", body)).status == 409
