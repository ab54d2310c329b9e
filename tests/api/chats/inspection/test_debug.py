"""Debug records over HTTP: for the owner of a chat and for administrators, and for no other user."""

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.api.app import build
from chatd.domain.ids import ChatId, MessageId, RunnerId, UserId
from chatd.records.run import (
    Attempt,
    Operation,
    ReceivedResponse,
    RecordStatus,
    RunKind,
    RunSummary,
    SentRequest,
    Step,
)
from chatd.records.store import NewRun, Progress, close_run, open_run
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.traceability import proves

OWN = "/api/v1/users/me/settings"
SETTINGS = "/api/v1/settings"

STEP = Step(
    number=1,
    operation=Operation.REPLY,
    status=RecordStatus.COMPLETED,
    model="some/model",
    provider="some",
    history_version=1,
    started_at="2027-01-15T08:00:00.000000Z",
    finished_at="2027-01-15T08:00:01.000000Z",
    request={
        "system": ["Never mention the merger."],
        "messages": [
            {"id": 1, "role": "user", "content": [{"type": "text", "text": "Who are you?"}]},
            {"id": 0, "role": "system", "content": [{"type": "text", "text": "Of the merger."}]},
        ],
    },
    response={"content": [], "stop": "done"},
    assistant_message_id=MessageId(2),
    attempts=(
        Attempt(
            started_at="2027-01-15T08:00:00.000000Z",
            duration_ms=1000,
            request=SentRequest(
                method="POST",
                url="https://inner.acme.example/v1",
                # As an older version kept it.
                headers={"x-api-key": "[hidden]", "X-Team": "blue", "content-type": "application/json"},
                body={"system": "Never mention the merger."},
            ),
            response=ReceivedResponse(
                status=200,
                headers={"server": "inner.acme.example", "x-request-id": "req-1"},
                body="data: hi\n\n",
            ),
            error="ClientConnectorError: Cannot connect to host inner.acme.example:443",
        ),
    ),
)


async def recorded(store: Store, chat_id: str, run_id: str = "run") -> str:
    """The address of a record."""
    new = NewRun(
        id=run_id,
        chat_id=ChatId(chat_id),
        runner_id=RunnerId("runner"),
        kind=RunKind.TURN,
        provider="some",
        model="some/model",
        trigger_message_id=MessageId(1),
        tip_message_id=MessageId(1),
    )
    summary = RunSummary(first_message="hello", step_count=1, endpoint="https://inner.acme.example/v1")
    last = Progress(summary=summary, tip_message_id=MessageId(1), step=STEP)
    await open_run(store.db, new, retention_days=30)
    await close_run(store.db, run_id, RecordStatus.COMPLETED, last)
    return f"{CHATS}/{chat_id}/debug/runs/{run_id}"


async def test_the_records_of_a_chat_are_listed_and_shown(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    place = await recorded(store, chat["id"])

    listed = (await client.get(f"{CHATS}/{chat['id']}/debug/runs")).json["runs"]
    shown = (await client.get(place)).json

    steps = shown.pop("steps")
    assert listed == [shown]
    assert {name: value for name, value in shown.items() if not name.endswith("_at")} == {
        "id": "run",
        "chat_id": chat["id"],
        "parent_chat_id": None,
        "root_chat_id": None,
        "kind": "turn",
        "status": "completed",
        "provider": "some",
        "model": "some/model",
        "trigger_message_id": 1,
        "tip_message_id": 1,
        "summary": {
            "first_message": "hello",
            "step_count": 1,
            "has_error": False,
            "endpoint": "",
            "usage": {},
        },
    }
    (step,) = steps
    assert (step["number"], step["status"], step["assistant_message_id"]) == (1, "completed", 2)
    assert step["attempts"][0]["request"]["method"] == "POST"
    assert step["attempts"][0]["response"]["status"] == 200


@proves("api", 84)
async def test_an_owner_is_shown_neither_prompt_nor_address_and_no_viewer_a_header_that_was_set(
    client: Client, admin: Client, store: Store
) -> None:
    chat = await client.start_chat()
    place = await recorded(store, chat["id"])
    listed = await client.get(f"{CHATS}/{chat['id']}/debug/runs")

    owned, administered = await client.get(place), await admin.get(place)

    for secret in (b"acme.example", b"merger", b"x-team", b"blue"):
        assert secret not in listed.body.lower()
        assert secret not in owned.body.lower()
    (attempt,) = owned.json["steps"][0]["attempts"]
    assert attempt["request"] == {
        "method": "POST",
        "url": "[left out: for administrators]",
        "headers": {"content-type": "application/json"},
        "body": "[left out: for administrators]",
    }
    assert attempt["response"]["headers"] == {"x-request-id": "req-1"}
    assert attempt["error"] == "ClientConnectorError"
    told = owned.json["steps"][0]["request"]
    assert told["system"] == ["[left out: a prompt of 25 characters]"]
    assert told["messages"][0]["content"][0]["text"] == "Who are you?"

    (attempt,) = administered.json["steps"][0]["attempts"]
    assert administered.json["summary"]["endpoint"] == "https://inner.acme.example/v1"
    assert attempt["request"]["headers"] == {
        "x-api-key": "[hidden]",
        "X-Team": "[hidden]",
        "content-type": "application/json",
    }
    assert attempt["request"]["body"] == {"system": "Never mention the merger."}
    assert attempt["response"]["body"] == "data: hi\n\n"


async def test_a_chat_without_records_has_an_empty_list(client: Client) -> None:
    chat = await client.start_chat()

    assert (await client.get(f"{CHATS}/{chat['id']}/debug/runs")).json == {"runs": []}


async def test_records_are_for_the_owner_and_for_administrators(
    client: Client, admin: Client, stranger: Client, anonymous: Client, store: Store
) -> None:
    chat = await client.start_chat()
    place = await recorded(store, chat["id"])

    for path in (place, f"{CHATS}/{chat['id']}/debug/runs"):
        statuses = [(await who.get(path)).status for who in (client, admin, stranger, anonymous)]
        assert statuses == [200, 200, 404, 401]


async def test_a_record_is_found_in_its_own_chat_alone(client: Client, store: Store) -> None:
    chat, other = await client.start_chat(), await client.start_chat()
    await recorded(store, chat["id"])

    for path in (
        f"{other['id']}/debug/runs/run",
        f"{chat['id']}/debug/runs/gone",
        f"{chat['id']}/debug/runs/%00",
    ):
        answer = await client.get(f"{CHATS}/{path}")
        assert (answer.status, answer.error["code"]) == (404, "debug_run_not_found")
    assert (await client.get(f"{CHATS}/gone/debug/runs")).error["code"] == "chat_not_found"


async def test_a_user_chooses_records_where_an_administrator_allows_them(
    client: Client, admin: Client, stranger: Client
) -> None:
    refused = await client.patch(OWN, {"debug_records": True, "prompt": "Not kept."})
    assert (refused.status, refused.error["field"]) == (403, "debug_records")
    assert (await client.get(OWN)).json["prompt"] == ""

    assert (await admin.patch(SETTINGS, {"debug_records_allowed": True})).json["debug_records_allowed"]
    assert (await admin.get(SETTINGS)).json["debug_records_allowed"]
    chosen = await client.patch(OWN, {"debug_records": True})

    assert chosen.json == {
        "model": None,
        "prompt": "",
        "compaction_thresholds": {},
        "debug_records": True,
        "debug_records_allowed": True,
        "debug_records_forced": False,
        "subagents": {},
        "subagents_allowed": False,
    }
    assert (await client.get(OWN)).json == chosen.json
    assert not (await stranger.get(OWN)).json["debug_records"]
    assert not (await client.patch(OWN, {"debug_records": False})).json["debug_records"]


async def test_what_a_user_has_chosen_counts_only_while_it_is_allowed(client: Client, admin: Client) -> None:
    await admin.patch(SETTINGS, {"debug_records_allowed": True})
    await client.patch(OWN, {"debug_records": True})

    await admin.patch(SETTINGS, {"debug_records_allowed": False})
    assert not (await client.get(OWN)).json["debug_records"]

    await admin.patch(SETTINGS, {"debug_records_allowed": True})
    assert (await client.get(OWN)).json["debug_records"]


async def test_only_administrators_allow_records(client: Client) -> None:
    assert (await client.patch(SETTINGS, {"debug_records_allowed": True})).status == 403


@pytest.fixture
async def forced(store: Store, owner: UserId) -> Client:
    app: ASGIApp = build(store, catalog_store=some_catalog_store(store), debug_forced=True)
    return Client(app, await create_token(store.db, owner, "forced"))


@proves("api", 71)
async def test_where_the_deployment_records_everything_there_is_nothing_to_choose(forced: Client) -> None:
    shown = (await forced.get(OWN)).json
    answer = await forced.patch(OWN, {"debug_records": False})

    assert (shown["debug_records"], shown["debug_records_forced"]) == (True, True)
    assert (answer.status, answer.error["code"]) == (409, "debug_records_forced")
