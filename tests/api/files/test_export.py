import json
from typing import Any

import pytest
from msgspec.structs import replace

from chatd.domain.approvals.asked import ProposedPlan
from chatd.domain.approvals.rule import ApprovalRequest
from chatd.domain.call import Plan
from chatd.domain.ids import CallId, ChatId, FileId, UserId
from chatd.domain.message import Draft, Role, Usage, Visibility
from chatd.domain.part import Reasoning, Text
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.kit.text import visible
from chatd.storage.reads.read import read_everything
from chatd.storage.tables.files import add_file
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import CHATS, Client
from tests.support.invariants import assert_coherent
from tests.words import answers, answers_after, call, create, said, says, send, step, summary, user

IMPORT = f"{CHATS}/import"
EXPLORE = AgentType.EXPLORE


async def a_rich_chat(client: Client, store: Store) -> str:
    chat = await client.start_chat(
        "hello", title="Planets", labels={"team": "blue"}, client_tools=[{"name": "open_tab"}]
    )
    chat_id = ChatId(chat["id"])
    reply = Draft(
        role=Role.ASSISTANT,
        content=(Reasoning(text="hm"), Text(text="Let me see."), call("c", args={"path": "sky"})),
        model="some/model",
        usage=Usage(input_tokens=3),
        internal={"signature": "secret"},
    )
    hidden = Draft(role=Role.SYSTEM, content=said("be kind"), visibility=Visibility.MODEL)
    notice = Draft(role=Role.SYSTEM, content=said("Saved."), visibility=Visibility.USER)
    known = answers_after("c", "full of stars", 12_345, START)
    await transact(store, chat_id, step(reply), step(known, hidden, notice))
    await transact(store, chat_id, step(*summary("so far")), step(says("Mars.")), FinishTurn())
    return f"{CHATS}/{chat_id}"


async def test_a_chat_is_exported_as_people_see_it(client: Client, store: Store) -> None:
    path = await a_rich_chat(client, store)

    answer = await client.get(f"{path}/export")

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == f'attachment; filename="{path.rpartition("/")[2]}.json"'
    assert answer.json == {
        "format": "chatd-chat",
        "version": 3,
        "title": "Planets",
        "labels": {"team": "blue"},
        "client_tools": [{"name": "open_tab", "description": "", "input_schema": None}],
        "plans": [],
        "children": [],
        "files": [],
        "created_at": START,
        "updated_at": START,
        "usage_total": {"input_tokens": 3},
        "cost_micros_total": 0,
        "unpriced_calls": 1,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hello"}], "created_at": START},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "text": "hm"},
                    {"type": "text", "text": "Let me see."},
                    {
                        "type": "tool-call",
                        "tool_call_id": "c",
                        "tool_name": "read_file",
                        "args": {"path": "sky"},
                    },
                ],
                "created_at": START,
                "model": "some/model",
                "usage": {"input_tokens": 3},
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "tool_call_id": "c",
                        "tool_name": "read_file",
                        "result": "full of stars",
                        "created_at": START,
                        "duration_ms": 12_345,
                    }
                ],
                "created_at": START,
            },
            {
                "role": "system",
                "content": [{"type": "text", "text": "Saved."}],
                "for_people_only": True,
                "created_at": START,
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Mars."}], "created_at": START},
        ],
    }


async def test_a_chat_is_written_out_for_people(client: Client, store: Store) -> None:
    path = await a_rich_chat(client, store)

    answer = await client.get(f"{path}/export", format="markdown")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert (
        answer.body.decode()
        == f"""\
# Planets

Chat {path.rpartition("/")[2]}, begun {START}.

## User

hello

## Assistant, some/model

> hm

Let me see.

Calls `read_file`:

```
{{"path":"sky"}}
```

## Tool

Result of `read_file` after 12.3 s:

```
full of stars
```

## System

Saved.

## Assistant

Mars.
"""
    )


async def test_nothing_said_can_end_a_fence(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    await transact(
        store, ChatId(chat["id"]), step(says("", call("c"))), step(answers("c", "```\n# Not a heading\n````"))
    )

    page = (await client.get(f"{CHATS}/{chat['id']}/export", format="markdown")).body.decode()

    assert "`````\n```\n# Not a heading\n````\n`````" in page


async def test_nothing_said_can_command_the_terminal_that_shows_the_page(
    client: Client, store: Store
) -> None:
    chat = await client.start_chat("\x1b]0;owned\x07Hi\u202e.")
    await transact(
        store,
        ChatId(chat["id"]),
        step(says("\x1b[2Jred\tblue\r\nline", call("c", "run", {"a": "\x9b31m"}))),
        step(answers("c", "\x9b31m")),
    )

    page = (await client.get(f"{CHATS}/{chat['id']}/export", format="markdown")).body.decode()

    assert page == visible(page)
    assert "]0;ownedHi." in page
    assert "[2Jred\tblue\nline" in page


async def test_an_exported_chat_comes_back_with_the_same_history(
    client: Client, store: Store, stranger: Client
) -> None:
    path = await a_rich_chat(client, store)
    exported = (await client.get(f"{path}/export")).json

    answer = await stranger.post(IMPORT, exported)

    assert answer.status == 201
    chat = answer.json
    assert (chat["title"], chat["labels"], chat["status"]) == ("Planets", {"team": "blue"}, "waiting")
    copy = f"{CHATS}/{chat['id']}"
    assert (await stranger.get(copy)).json == chat
    assert (await client.get(copy)).status == 404
    again = (await stranger.get(f"{copy}/export")).json
    for message in exported["messages"]:
        message.pop("usage", None)
    # The calls were made for another chat.
    exported |= {"usage_total": {}, "unpriced_calls": 0}
    assert again == exported
    assert (await stranger.post(f"{copy}/messages", {"content": exported["messages"][0]["content"]})).json[
        "queued"
    ] is False


async def test_an_imported_chat_keeps_every_rule(client: Client, store: Store) -> None:
    path = await a_rich_chat(client, store)

    chat = (await client.post(IMPORT, (await client.get(f"{path}/export")).json)).json

    everything = await read_everything(store.db, ChatId(chat["id"]))
    assert everything is not None
    assert_coherent(
        chat=everything.chat,
        messages=everything.messages,
        queue=everything.queue,
        calls=everything.calls,
        links=[FileId(file) for file in everything.files],
    )
    assert everything.chat.versions.snapshot == 1


async def test_a_chat_that_was_busy_is_imported_at_rest(client: Client, store: Store) -> None:
    busy = await client.start_chat()
    await transact(store, ChatId(busy["id"]), step(says("", call("c"))), send("later"))

    exported = (await client.get(f"{CHATS}/{busy['id']}/export")).json
    chat = (await client.post(IMPORT, exported)).json

    assert (chat["status"], chat["queue"]) == ("waiting", [])
    newest = (await client.get(f"{CHATS}/{chat['id']}/messages")).json["messages"][0]
    assert newest["content"][0]["is_error"] is True


async def test_a_file_that_the_importer_does_not_have_is_still_named(
    client: Client, store: Store, owner: UserId, stranger: Client
) -> None:
    await add_file(
        store.db, file_id=FileId("f"), owner_id=owner, name="a.txt", media_type="text/plain", data=b"a"
    )
    file = {"type": "file", "file_id": "f", "media_type": "text/plain", "name": "a.txt"}
    answer = await client.post(CHATS, {"content": [{"type": "text", "text": "see"}, file]})
    exported = (await client.get(f"{CHATS}/{answer.json['id']}/export")).json
    del exported["files"]

    for importer, part in ((client, file), (stranger, {"type": "file-reference", "file_name": "a.txt"})):
        chat = (await importer.post(IMPORT, exported)).json
        (message,) = (await importer.get(f"{CHATS}/{chat['id']}/messages")).json["messages"]
        assert message["content"][1] == part


def carried(*messages: Any, **fields: Any) -> dict[str, Any]:
    said_ = [{"role": role, "content": list(parts)} for role, *parts in messages]
    return {"format": "chatd-chat", "version": 1, "title": "t", "messages": said_, **fields}


TEXT = {"type": "text", "text": "x"}
CALL = {"type": "tool-call", "tool_call_id": "c", "tool_name": "t"}
RESULT = {"type": "tool-result", "tool_call_id": "c", "tool_name": "t", "result": 1}


@pytest.mark.parametrize(
    "body",
    [
        {},
        carried(),
        carried(("user", TEXT), format="other"),
        carried(("user", TEXT), version=4),
        carried(("user", TEXT), title=""),
        carried(("user", TEXT), title="a\nb"),
        carried(("user", TEXT), labels={"bad key": "x"}),
        carried(("user", TEXT), owner_id="somebody"),
        carried(("user",)),
        carried(("nobody", TEXT)),
        carried(("assistant", TEXT)),
        carried(("user", {"type": "unheard-of"})),
        carried(("user", CALL)),
        carried(("user", RESULT)),
        carried(("user", TEXT), ("tool", RESULT)),
        carried(("user", TEXT), ("assistant", CALL, CALL)),
        carried(("user", TEXT), ("assistant", CALL), ("user", TEXT)),
        carried(("user", TEXT), ("assistant", CALL), ("assistant", TEXT)),
        carried(("user", TEXT), ("assistant", CALL), ("tool", RESULT, RESULT)),
        carried(("user", TEXT), ("assistant", CALL | {"args": json.loads("[" * 80 + "]" * 80)})),
        carried(("user", TEXT), client_tools=[{"name": "a"}, {"name": "a"}]),
    ],
)
async def test_what_is_not_a_chat_is_refused_and_nothing_is_made(client: Client, body: Any) -> None:
    answer = await client.post(IMPORT, body)

    assert answer.status == 400
    assert answer.error["message"]
    assert (await client.get(CHATS)).json == {"chats": []}


async def test_an_import_may_be_larger_than_other_requests_but_not_endless(client: Client) -> None:
    large = carried(*[("user", {"type": "text", "text": "x" * 100_000})] * 20)
    assert (await client.post(IMPORT, large)).status == 201

    huge = carried(*[("user", {"type": "text", "text": "x" * 1_000_000})] * 9)
    answer = await client.post(IMPORT, huge)

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


async def test_provider_tools_and_strange_text_come_along(client: Client) -> None:
    searched = CALL | {"provider_executed": True}
    found = RESULT | {"provider_executed": True}
    odd = {"type": "text", "text": "nul \0 and \ud800"}
    body = carried(("user", odd), ("assistant", searched, found, TEXT))

    chat = (await client.post(IMPORT, body)).json

    exported = (await client.get(f"{CHATS}/{chat['id']}/export")).json
    assert [m["content"] for m in exported["messages"]] == [m["content"] for m in body["messages"]]
    assert (await client.get(f"{CHATS}/{chat['id']}/export", format="markdown")).status == 200


async def test_only_known_formats_are_written(client: Client) -> None:
    chat = await client.start_chat()

    answer = await client.get(f"{CHATS}/{chat['id']}/export", format="pdf")

    assert (answer.status, answer.error["field"]) == (400, "format")


async def test_the_chats_of_others_are_not_exported(client: Client, stranger: Client, admin: Client) -> None:
    chat = await client.start_chat()

    assert (await stranger.get(f"{CHATS}/{chat['id']}/export")).status == 404
    assert (await admin.get(f"{CHATS}/{chat['id']}/export")).status == 200


async def test_a_chat_comes_back_with_its_mode_its_plans_and_those_that_worked_for_it(
    client: Client, store: Store
) -> None:
    chat = await client.start_chat("plan it", mode="plan", delegation=False, instructions="Be brief.")
    chat_id = ChatId(chat["id"])
    for version, decision in ((1, "revise"), (2, "accept")):
        asked = ProposedPlan(version=version, text=f"# Plan {version}", diff="+x" if version > 1 else "")
        plan = Plan(
            call_id=CallId(f"p{version}"),
            asks_person=True,
            request=ApprovalRequest(asked=asked),
            reason=decision,
        )
        proposal = says("Here.", call(f"p{version}", "propose_plan"))
        await transact(store, chat_id, step(proposal, plans=(plan,)), step(answers(f"p{version}")))
    await transact(store, chat_id, step(says("Done.")), FinishTurn())
    for name in ("first", "second"):
        child = replace(create(user(name), chat_id=name, parent=chat_id), title=name, agent_type=EXPLORE)
        await create_chat(store, child, step(says(f"{name} reports")), FinishTurn())

    exported = (await client.get(f"{CHATS}/{chat_id}/export")).json
    imported = await client.post(IMPORT, exported)

    assert imported.status == 201, imported.error
    path = f"{CHATS}/{imported.json['id']}"
    shown = (await client.get(path)).json
    assert [shown[name] for name in ("mode", "delegation", "instructions")] == ["plan", False, "Be brief."]
    assert (shown["temporary"], shown["has_unread"], shown["children"]["count"]) == (False, False, 2)
    plans = (await client.get(f"{path}/plans")).json["plans"]
    assert [(each["version"], each["decision"]) for each in plans] == [(2, "accept"), (1, "revise")]
    second = (await client.get(f"{path}/plans/2")).json
    assert (second["text"], second["diff"]) == ("# Plan 2", "+x")
    children = (await client.get(f"{path}/children")).json["chats"]
    assert {(each["title"], each["agent_type"], each["status"]) for each in children} == {
        ("first", "explore", "waiting"), ("second", "explore", "waiting"),
    }  # fmt: skip
    # A file of the copy is the same but for what is of its own time.
    again = (await client.get(f"{path}/export")).json
    assert again["plans"] == exported["plans"]
    assert sorted(map(words_in, again["children"])) == sorted(map(words_in, exported["children"]))


def words_in(carried_chat: Any) -> str:
    return json.dumps([(each["role"], each["content"]) for each in carried_chat["messages"]])


async def test_a_child_that_cannot_be_imported_leaves_nothing(client: Client) -> None:
    bad = {"title": "child", "messages": [{"role": "tool", "content": [TEXT]}]}

    answer = await client.post(IMPORT, carried(("user", TEXT), version=2, children=[bad]))

    assert (answer.status, answer.error["field"].startswith("children[0].messages")) == (400, True)
    assert (await client.get(CHATS)).json == {"chats": []}
