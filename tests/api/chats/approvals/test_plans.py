"""Plans over HTTP: their versions, and what is decided on them."""

from typing import Any

from starlette.types import ASGIApp

from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.sharing.words import share, somebody
from tests.api.client import CHATS, Client
from tests.words import call, question, says, step

FIRST = ProposedPlan(version=1, text="# One\n")
SECOND = ProposedPlan(version=2, text="# Two\n", diff="-# One\n+# Two\n")


async def a_planning_chat(client: Client) -> str:
    return str((await client.start_chat(mode="plan"))["id"])


async def propose(store: Store, chat_id: str, plan: ProposedPlan) -> None:
    reply = says("", call(f"plan{plan.version}", "propose_plan", {"plan": plan.text}))
    asked = question(f"plan{plan.version}", plan)
    await transact(store, ChatId(chat_id), step(reply, plans=(asked,)), RequireAction())


async def decide(client: Client, chat_id: str, version: int, answer: Any) -> Any:
    body = {"answers": [{"tool_call_id": f"plan{version}", "answer": answer}]}
    return (await client.post(f"{CHATS}/{chat_id}/actions", body)).json


async def test_a_plan_that_waits_is_shown_and_a_list_leaves_its_text_out(
    client: Client, store: Store
) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)

    (waiting,) = (await client.get(f"{CHATS}/{chat_id}")).json["waiting_for"]
    (listed,) = (await client.get(CHATS)).json["chats"][0]["waiting_for"]

    assert waiting["plan"] == {"version": 1, "text": "# One\n", "diff": ""}
    assert (listed["plan"], listed["args"]) == ({"version": 1, "text": "", "diff": ""}, {})


async def test_each_version_is_kept_with_its_diff_and_with_what_was_decided(
    client: Client, store: Store
) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)
    revised = await decide(client, chat_id, 1, {"decision": "revise", "feedback": "Another title."})
    await propose(store, chat_id, SECOND)

    listed = (await client.get(f"{CHATS}/{chat_id}/plans")).json["plans"]
    assert [(each["version"], each["decision"]) for each in listed] == [(2, None), (1, "revise")]
    assert (revised["status"], revised["mode"]) == ("running", "plan")

    accepted = await decide(client, chat_id, 2, {"decision": "accept"})
    assert (accepted["status"], accepted["mode"]) == ("running", None)

    whole = (await client.get(f"{CHATS}/{chat_id}/plans/2")).json
    assert (whole["text"], whole["diff"], whole["decision"]) == (SECOND.text, SECOND.diff, "accept")
    assert whole["decided_by"] == "owner"
    assert whole["decided_at"] is not None


async def test_plans_are_for_those_who_see_the_chat(client: Client, store: Store, stranger: Client) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)

    assert (await stranger.get(f"{CHATS}/{chat_id}/plans")).status == 404
    assert (await stranger.get(f"{CHATS}/{chat_id}/plans/1")).status == 404
    assert (await client.get(f"{CHATS}/{chat_id}/plans/2")).status == 404
    assert (await client.get(f"{CHATS}/{chat_id}/plans/x")).status == 400


async def test_others_see_no_plan_of_a_branch_that_was_left_and_not_what_was_changed_since(
    app: ASGIApp, client: Client, store: Store
) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)
    said = {"content": [{"type": "text", "text": "Another plan."}]}
    assert (await client.patch(f"{CHATS}/{chat_id}/messages/1", said)).status == 200
    await propose(store, chat_id, SECOND)
    reader, _ = await somebody(app, store, "reader")
    await share(client, chat_id, "user/reader")
    path = f"{CHATS}/{chat_id}"

    for caller, versions, diff in ((client, [2, 1], SECOND.diff), (reader, [2], "")):
        listed = (await caller.get(f"{path}/plans")).json["plans"]
        assert [each["version"] for each in listed] == versions
        exported = (await caller.get(f"{path}/export")).json["plans"]
        assert [each.get("diff", "") for each in exported if each["version"] == 2] == [diff]
        assert sorted(each["version"] for each in exported) == sorted(versions)
        assert (await caller.get(f"{path}/plans/2")).json["diff"] == diff
        assert (await caller.get(path)).json["waiting_for"][0]["plan"]["diff"] == diff
        assert (await caller.get(f"{path}/plans/1")).status == (200 if 1 in versions else 404)


async def test_an_approval_is_no_word_on_a_plan(client: Client, store: Store) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)

    body = {"approvals": [{"tool_call_id": "plan1", "decision": "allow", "scope": "always"}]}
    refused = await client.post(f"{CHATS}/{chat_id}/actions", body)

    assert (refused.status, refused.json["error"]["code"]) == (400, "wrong_action")


async def test_who_accepts_a_plan_may_say_how_the_chat_goes_on(client: Client, store: Store) -> None:
    chat_id = await a_planning_chat(client)
    await propose(store, chat_id, FIRST)

    body = {"answers": [{"tool_call_id": "plan1", "answer": "accept"}], "mode": "plan"}
    answer = (await client.post(f"{CHATS}/{chat_id}/actions", body)).json

    assert answer["mode"] == "plan"
