"""What a chat is set up with, over HTTP: on create, with a message, and with answers of a client."""

from pathlib import Path
from typing import Any

import pytest

from chatd.agent.toolboxes.toolboxes import Toolboxes, ToolGroup
from chatd.api.app import build
from chatd.domain.ids import ChatId
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.clock import SystemClock
from chatd.storage.transactions.transact import Store, transact
from chatd.tools.processes import process_tools
from chatd.tools.rehearsal import rehearsal_tools
from chatd.workspaces.places import Places
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import some_catalog_store
from tests.words import client_call, says, step

TEXT = {"type": "text", "text": "hello"}
SENT = {"content": [TEXT]}
TOOL = {"name": "open_tab", "description": "Opens a tab.", "input_schema": {"type": "object"}}
OTHER = {"name": "other", "description": "", "input_schema": None}


SHOWN = ("instructions", "client_tools")

REHEARSED = Toolboxes(
    [
        ToolGroup(tools=rehearsal_tools(None, SystemClock()), provider="scripted"),
        ToolGroup(tools=process_tools(SystemClock()), needs_workspace=True),
    ]
)


async def shown(client: Client, path: str) -> dict[str, Any]:
    chat = (await client.get(path)).json
    return {name: chat[name] for name in SHOWN}


async def a_chat(client: Client, **fields: Any) -> str:
    return f"{CHATS}/{(await client.start_chat('hello', **fields))['id']}"


async def a_waiting_chat(client: Client, store: Store, **fields: Any) -> str:
    path = await a_chat(client, client_tools=[TOOL], **fields)
    chat_id = ChatId(path.rpartition("/")[2])
    await transact(store, chat_id, step(says("", client_call("tab"), client_call("tab 2"))), RequireAction())
    return path


async def test_a_chat_shows_what_it_is_set_up_with_but_a_list_does_not(client: Client) -> None:
    body = {"content": [TEXT], "instructions": "Be brief.", "client_tools": [TOOL]}

    created = (await client.post(CHATS, body)).json

    assert (created["instructions"], created["client_tools"]) == ("Be brief.", [TOOL])
    assert await shown(client, f"{CHATS}/{created['id']}") == {
        "instructions": "Be brief.",
        "client_tools": [TOOL],
    }
    (listed,) = (await client.get(CHATS)).json["chats"]
    assert not {"instructions", "client_tools"} & listed.keys()


async def test_a_message_replaces_what_it_names_and_leaves_the_rest(client: Client, store: Store) -> None:
    path = await a_chat(client, instructions="Be brief.", client_tools=[TOOL])
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    await client.post(f"{path}/messages", SENT | {"client_tools": [OTHER]})

    assert await shown(client, path) == {"instructions": "Be brief.", "client_tools": [OTHER]}


async def test_a_queued_message_counts_from_its_own_turn_on(client: Client, store: Store) -> None:
    path = await a_chat(client, instructions="Be brief.")
    sent = (await client.post(f"{path}/messages", SENT | {"instructions": "Be long."})).json
    assert sent["queued"] is True
    assert (await shown(client, path))["instructions"] == "Be brief."

    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    assert (await shown(client, path))["instructions"] == "Be long."


async def test_answers_of_a_client_may_set_up_the_rest_of_the_turn(client: Client, store: Store) -> None:
    path = await a_waiting_chat(client, store)
    results = [{"tool_call_id": "tab", "output": 1}]

    answer = await client.post(
        f"{path}/actions", {"results": results, "instructions": "Be brief.", "client_tools": []}
    )

    assert (answer.json["instructions"], answer.json["client_tools"]) == ("Be brief.", [])
    assert await shown(client, path) == {"instructions": "Be brief.", "client_tools": []}
    # The call was made for a tool that is gone; its client still answers it.
    assert [each["tool_call_id"] for each in answer.json["waiting_for"]] == ["tab 2"]


@pytest.mark.parametrize("cleared", ["", " \n "])
async def test_empty_instructions_clear_them(client: Client, store: Store, cleared: str) -> None:
    path = await a_chat(client, instructions="Be brief.")
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    await client.post(f"{path}/messages", SENT | {"instructions": cleared})

    assert (await shown(client, path))["instructions"] == ""


async def test_instructions_have_at_most_128_kib(client: Client) -> None:
    assert (await client.post(CHATS, SENT | {"instructions": "x" * 128 * 1024})).status == 201

    answer = await client.post(CHATS, SENT | {"instructions": "x" * 128 * 1024 + "x"})

    assert (answer.status, answer.json["error"]["field"]) == (400, "instructions")


async def test_a_client_tool_cannot_have_the_name_of_a_tool_of_the_server(
    client: Client, store: Store
) -> None:
    path = await a_waiting_chat(client, store)
    strict = Client(build(store, tool_names=REHEARSED), client.token)
    tools = {"client_tools": [TOOL, {"name": "echo"}]}
    results = {"results": [{"tool_call_id": "tab", "output": 1}]}

    for place, body in ((CHATS, SENT), (f"{path}/messages", SENT), (f"{path}/actions", results)):
        answer = await strict.post(place, body | tools)

        assert (answer.status, answer.json["error"]["code"]) == (400, "tool_of_the_server")
        assert answer.json["error"]["field"] == "client_tools[1].name"
    assert (await shown(client, path))["client_tools"] == [TOOL]


async def test_a_tool_that_only_models_of_another_provider_have_leaves_its_name_to_the_client(
    client: Client, store: Store
) -> None:
    app = build(store, catalog_store=some_catalog_store(store), tool_names=REHEARSED)
    strict = Client(app, client.token)
    tools = {"client_tools": [{"name": "echo"}]}

    chat = await strict.post(CHATS, SENT | tools | {"model": "some/model"})
    assert (chat.status, [tool["name"] for tool in chat.json["client_tools"]]) == (201, ["echo"])
    path = f"{CHATS}/{chat.json['id']}/messages"
    assert (await strict.post(path, SENT | tools)).status == 200
    answer = await strict.post(path, SENT | tools | {"model": "scripted/scripted"})
    assert (answer.status, answer.json["error"]["code"]) == (400, "tool_of_the_server")


async def test_a_tool_that_needs_a_workspace_leaves_its_name_to_the_client_where_there_is_none(
    client: Client, store: Store, tmp_path: Path
) -> None:
    strict = Client(build(store, tool_names=REHEARSED, places=Places(tmp_path, shared=True)), client.token)
    tools = {"client_tools": [{"name": "execute"}]}

    for workspace, status in ((None, (201, 200)), (".", (400, 400))):
        created = await strict.post(CHATS, SENT | tools | {"workspace": workspace})
        chat = await strict.start_chat("hello", workspace=workspace)
        sent = await strict.post(f"{CHATS}/{chat['id']}/messages", SENT | tools)

        assert (created.status, sent.status) == status


async def test_how_long_the_client_may_take_is_set_and_cleared(client: Client, store: Store) -> None:
    path = await a_chat(client, client_deadline_seconds=60)
    assert (await client.get(path)).json["client_deadline_seconds"] == 60
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    await client.post(f"{path}/messages", SENT | {"client_deadline_seconds": None})

    assert (await client.get(path)).json["client_deadline_seconds"] is None


@pytest.mark.parametrize("seconds", [0, -1, 30 * 24 * 3600 + 1, 1.5, "60"])
async def test_a_deadline_outside_its_bounds_is_refused(client: Client, seconds: object) -> None:
    answer = await client.post(CHATS, SENT | {"client_deadline_seconds": seconds})

    assert (answer.status, answer.error["field"]) == (400, "client_deadline_seconds")


OPTIONS = {
    "max_output_tokens": 100,
    "temperature": 0.5,
    "top_p": 0.9,
    "tool_choice": "required",
    "response_format": {"type": "json_schema", "name": "count", "schema": {"type": "object"}},
}


async def test_options_are_shown_replaced_and_cleared(client: Client, store: Store) -> None:
    path = await a_chat(client, options=OPTIONS)
    assert (await client.get(path)).json["options"] == OPTIONS
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    for wanted in ({"temperature": 0.0}, {}):
        await client.post(f"{path}/messages", SENT | {"options": wanted, "when": "interrupt"})
        await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())
        assert (await client.get(path)).json["options"] == wanted


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"temperature": 2.1}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"tool_choice": ""}, "tool_choice"),
        ({"top_k": 5}, "top_k"),
        ({"response_format": {"type": "yaml"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.schema"),
        ({"response_format": {"type": "json_object", "schema": {}}}, "response_format.schema"),
        ({"response_format": {"type": "json_schema", "name": "a b", "schema": {}}}, "response_format.name"),
    ],
)
async def test_options_outside_their_bounds_are_refused(
    client: Client, options: dict[str, Any], field: str
) -> None:
    answer = await client.post(CHATS, SENT | {"options": options})

    assert (answer.status, answer.error["field"]) == (400, f"options.{field}")


async def test_an_export_carries_what_a_chat_is_set_up_with(client: Client) -> None:
    path = await a_chat(
        client, instructions="Be brief.", client_tools=[TOOL], client_deadline_seconds=None, options=OPTIONS
    )

    exported = (await client.get(f"{path}/export")).json
    imported = (await client.post(f"{CHATS}/import", exported)).json

    assert await shown(client, f"{CHATS}/{imported['id']}") == await shown(client, path)
    assert (await client.get(f"{CHATS}/{imported['id']}")).json["client_deadline_seconds"] is None
    assert (await client.get(f"{CHATS}/{imported['id']}")).json["options"] == OPTIONS
