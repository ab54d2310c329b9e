"""Text that databases and encoders stumble over comes back as it was sent, in valid JSON."""

import json

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Role
from chatd.domain.part import ToolCall
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.words import call, step


@pytest.mark.parametrize(
    "words",
    [
        "a\0b",
        "lone \ud800 half",
        "\udfff",
        "pair \U0001f600 whole",
        "\ue000 private",
        "\ufeff",
        "a\u2028b",
        "\x1b[31m",
    ],
)
async def test_what_was_said_comes_back_unchanged(client: Client, words: str) -> None:
    chat = await client.start_chat(words)

    answer = await client.get(f"{CHATS}/{chat['id']}/messages")

    (message,) = answer.json["messages"]
    assert message["content"] == [{"type": "text", "text": words}]
    answer.body.decode("utf-8")


async def test_what_a_model_wrote_comes_back_unchanged(client: Client, store: Store) -> None:
    chat = await client.start_chat()
    args = {"path\0": "a\ud800", "number": float("nan")}
    part: ToolCall = call("call\0\ud800", "tool\ud800", args)
    await transact(store, ChatId(chat["id"]), step(Draft(role=Role.ASSISTANT, content=(part,))))

    answer = await client.get(f"{CHATS}/{chat['id']}/messages")

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    shown = json.loads(answer.body, parse_constant=refuse)["messages"][0]["content"]
    assert shown == [
        {
            "type": "tool-call",
            "tool_call_id": "call\0\ud800",
            "tool_name": "tool\ud800",
            "args": {"path\0": "a\ud800", "number": None},
        }
    ]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"content": [], "\\u0000": 1}', "unknown_field"),
        (b'{"content": [], "\\ud800": 1}', "bad_value"),
        (b'{"content": [{"type": "\\ud800"}]}', "bad_value"),
        (b'{"content": [{"type": "text", "text": "x"}], "labels": {"\\ud800": "x"}}', "bad_label"),
        (b'{"content": [{"type": "text", "text": "x"}], "reasoning_effort": "\\ud800"}', "bad_value"),
        (b'{"content": [{"type": "text", "text": "x"}], "client_tools": [{"name": "\\ud800"}]}', "bad_value"),
    ],
)
async def test_an_error_about_strange_text_is_valid_json_too(client: Client, body: bytes, code: str) -> None:
    answer = await client.ask("POST", CHATS, body)

    assert (answer.status, answer.error["code"]) == (400, code)
