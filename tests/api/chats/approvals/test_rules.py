"""Rules for approvals over HTTP, and what a person is shown before they decide."""

from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.api.app import build
from chatd.approvals.judge import Rules
from chatd.domain.approvals.rule import RULES_MAX, ApprovalRequest, ApprovalScope
from chatd.domain.call import CallState, Plan
from chatd.domain.ids import CallId, ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.words import allows, call, denies, says, step

RULES = "/api/v1/rules"
DECLARED = denies(words="rm *")
TEST = {"verdict": "allow", "tool": "execute", "words": ["npm", "test"]}
DOCS = {"verdict": "deny", "tool": "write_file", "paths": ["docs/**"]}


@pytest.fixture
def app(store: Store, prober: FakeProber) -> ASGIApp:
    rules = Rules(deployment=(DECLARED,), asks=False)
    return build(store, catalog_store=some_catalog_store(store), prober=prober, rules=rules)


def told(answer: Any) -> list[tuple[str, str]]:
    return [(rule["source"], rule["text"]) for rule in answer.json["rules"]]


SERVERS = ("deployment", "deny calls of `execute` for the program `rm *`")
MINE = ("user", "allow calls of `execute` for the program `npm test`")
DENIED = ("user", "deny calls of `write_file` for `docs/**`")


async def test_rules_are_listed_in_the_order_in_which_they_are_tried(client: Client) -> None:
    chat = await client.start_chat()
    await client.post(RULES, TEST)
    await client.post(f"{CHATS}/{chat['id']}/rules", DOCS)

    own, all_that_count = await client.get(RULES), await client.get(f"{CHATS}/{chat['id']}/rules")

    assert told(own) == [SERVERS, MINE]
    assert told(all_that_count) == [SERVERS, MINE, ("chat", DENIED[1])]
    assert own.json["asks"] is False
    server, mine = own.json["rules"]
    assert (server["created_by"], server["created_at"], server["origin"]) == (None, None, None)
    assert mine["created_by"] == "owner"
    assert mine["created_at"].endswith("Z")


@pytest.mark.parametrize("of_chat", [False, True])
async def test_rules_are_added_moved_and_removed(client: Client, of_chat: bool) -> None:  # noqa: FBT001
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}/rules" if of_chat else RULES

    await client.post(path, TEST)
    added = await client.post(path, DOCS)
    assert (added.status, [text for _, text in told(added)][1:]) == (201, [DENIED[1], MINE[1]])

    first = added.json["rules"][1]["id"]
    moved = await client.patch(f"{path}/{first}", {"position": 1})
    assert [text for _, text in told(moved)][1:] == [MINE[1], DENIED[1]]

    assert (await client.delete(f"{path}/{first}")).status == 204
    assert [text for _, text in told(await client.get(path))][1:] == [MINE[1]]
    assert (await client.delete(f"{path}/{first}")).status == 404


async def test_a_rule_is_added_where_it_is_wanted(client: Client) -> None:
    await client.post(RULES, TEST)
    added = await client.post(RULES, DOCS | {"position": 1})

    assert told(added) == [SERVERS, MINE, DENIED]


async def test_the_same_rule_is_there_once(client: Client) -> None:
    await client.post(RULES, TEST)

    assert told(await client.post(RULES, TEST)) == [SERVERS, MINE]


async def test_rules_of_the_settings_are_changed_only_there(client: Client) -> None:
    for answer in (
        await client.patch(f"{RULES}/{DECLARED.id}", {"position": 0}),
        await client.delete(f"{RULES}/{DECLARED.id}"),
    ):
        assert (answer.status, answer.error["code"]) == (409, "declared")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"verdict": "maybe"},
        {"verdict": "allow", "tool": ""},
        {"verdict": "allow", "tool": "x" * 201},
        {"verdict": "allow", "words": ["x" * 1001]},
        {"verdict": "allow", "words": ["x"] * 101},
        {"verdict": "allow", "paths": ["x" * 900] * 3},
        {"verdict": "allow", "position": -1},
        {"verdict": "allow", "position": RULES_MAX + 1},
        {"verdict": "allow", "program": "rm"},
    ],
)
async def test_a_wrong_rule_is_refused(client: Client, body: dict[str, Any]) -> None:
    answer = await client.post(RULES, body)

    assert answer.status == 400
    assert answer.error["message"]
    assert told(await client.get(RULES)) == [SERVERS]


async def test_there_is_an_end_to_the_rules_of_a_user(client: Client) -> None:
    for number in range(RULES_MAX):
        assert (await client.post(RULES, TEST | {"words": [str(number)]})).status == 201

    answer = await client.post(RULES, TEST)

    assert (answer.status, answer.error["code"]) == (429, "too_many_rules")


async def test_a_user_sees_and_changes_their_own_rules_alone(client: Client, stranger: Client) -> None:
    rule_id = (await client.post(RULES, TEST)).json["rules"][1]["id"]

    assert told(await stranger.get(RULES)) == [SERVERS]
    assert (await stranger.delete(f"{RULES}/{rule_id}")).status == 404


async def test_a_chats_rules_are_for_its_owner_to_change(
    client: Client, stranger: Client, admin: Client
) -> None:
    chat = await client.start_chat()
    path = f"{CHATS}/{chat['id']}/rules"
    await client.post(RULES, TEST)

    assert (await stranger.get(path)).status == 404
    assert (await stranger.post(path, DOCS)).status == 404
    # Of the owner, and not of the administrator who looks.
    assert told(await admin.get(path)) == [SERVERS, MINE]
    assert (await admin.post(path, DOCS)).status == 403
    assert (await client.get(f"{CHATS}/gone/rules")).status == 404


REQUEST = ApprovalRequest(
    programs=(("npm", "test"),),
    unsure=None,
    writes=("a.py",),
    preview="+ a",
    rules=(allows(words="npm test"),),
    scopes=(ApprovalScope.CHAT, ApprovalScope.ALWAYS),
)


async def a_waiting_chat(client: Client, store: Store) -> str:
    chat = await client.start_chat()
    plan = Plan(call_id=CallId("run"), state=CallState.NEEDS_APPROVAL, request=REQUEST)
    reply = says("", call("run", "execute", {"command": "npm test"}))
    await transact(store, ChatId(chat["id"]), step(reply, plans=(plan,)), RequireAction())
    return f"{CHATS}/{chat['id']}"


async def test_a_person_is_shown_everything_they_need_to_decide(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)

    (waiting,) = (await client.get(path)).json["waiting_for"]

    rules = ["allow calls of `execute` for the program `npm test`"]
    assert waiting == {
        "tool_call_id": "run",
        "message_id": 2,
        "tool_name": "execute",
        "args": {"command": "npm test"},
        "kind": "approval",
        "deadline": None,
        "approval": {
            "programs": [["npm", "test"]],
            "unsure": None,
            "danger": None,
            "reads": [],
            "writes": ["a.py"],
            "hosts": [],
            "preview": "+ a",
            "scopes": [
                {"scope": "once", "rules": []},
                {"scope": "chat", "rules": rules},
                {"scope": "always", "rules": rules},
            ],
        },
    }


async def test_a_list_of_chats_leaves_previews_out(client: Client, store: Store) -> None:
    await a_waiting_chat(client, store)

    (chat,) = (await client.get(CHATS)).json["chats"]

    assert chat["waiting_for"][0]["approval"]["preview"] is None
    assert chat["waiting_for"][0]["approval"]["writes"] == ["a.py"]


@pytest.mark.parametrize(("scope", "source"), [("chat", "chat"), ("always", "user")])
async def test_an_answer_beyond_once_makes_a_rule_that_says_where_it_comes_from(
    client: Client, store: Store, scope: str, source: str
) -> None:
    path = await a_waiting_chat(client, store)
    approval = {"tool_call_id": "run", "message_id": 2, "decision": "allow", "scope": scope}

    answer = await client.post(f"{path}/actions", {"approvals": [approval]})

    assert (answer.status, answer.json["status"]) == (200, "running")
    rule = (await client.get(f"{path}/rules")).json["rules"][1]
    assert (rule["source"], rule["words"]) == (source, ["npm", "test"])
    chat_id = path.rpartition("/")[2]
    assert rule["origin"] == {"chat_id": chat_id, "message_id": 2, "tool_call_id": "run"}


async def test_a_rule_may_be_for_hosts(client: Client) -> None:
    added = await client.post(RULES, {"verdict": "allow", "tool": "fetch_url", "hosts": ["*.python.org"]})

    *_, rule = added.json["rules"]
    assert rule["hosts"] == ["*.python.org"]
    assert rule["text"] == "allow calls of `fetch_url` for the host `*.python.org`"
