"""A new chat that brings along what was said elsewhere."""

from typing import Any

import pytest

from chatd.api.bodies.fields import HISTORY_MESSAGES_MAX
from chatd.api.chats.messages.history import HISTORY_CALLS_MAX
from chatd.api.serving.intake import BODY_BYTES_MAX, IMPORT_BYTES_MAX
from chatd.domain.limits import CALLS_PER_MESSAGE_MAX
from tests.api.client import CHATS, Client

USER = {"role": "user", "content": [{"type": "text", "text": "Name a planet."}]}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Mars."}], "model": "acme/one"}
CALL = {"type": "tool-call", "tool_call_id": "c", "tool_name": "look", "args": {}}
CALLS = {"role": "assistant", "content": [CALL]}
RESULT: dict[str, Any] = {
    "role": "tool",
    "content": [{"type": "tool-result", "tool_call_id": "c", "tool_name": "look", "result": "red"}],
}
ASKS = [{"type": "text", "text": "And a moon?"}]


async def messages(client: Client, chat: Any) -> list[tuple[int, str, str]]:
    page = (await client.get(f"{CHATS}/{chat['id']}/messages")).json
    return [(m["id"], m["role"], m["content"][0]["type"]) for m in reversed(page["messages"])]


async def test_the_history_comes_before_the_first_message_and_the_agent_answers_that(client: Client) -> None:
    answer = await client.post(CHATS, {"history": [USER, CALLS, RESULT, REPLY], "content": ASKS})

    assert (answer.status, answer.json["status"]) == (201, "running")
    assert answer.json["title"] == "And a moon?"
    assert await messages(client, answer.json) == [
        (1, "user", "text"),
        (2, "assistant", "tool-call"),
        (3, "tool", "tool-result"),
        (4, "assistant", "text"),
        (5, "user", "text"),
    ]


async def test_an_export_can_be_the_history_of_another_chat(client: Client) -> None:
    first = await client.start_chat("Name a planet.")
    exported = (await client.get(f"{CHATS}/{first['id']}/export")).json

    answer = await client.post(CHATS, {"history": exported["messages"], "content": ASKS})

    assert answer.status == 201
    assert await messages(client, answer.json) == [(1, "user", "text"), (2, "user", "text")]


@pytest.mark.parametrize(
    ("history", "code", "field"),
    [
        ([USER, CALLS], "unanswered_calls", "history[2]"),
        ([RESULT], "unexpected_result", "history[0]"),
        ([USER, {"role": "user", "content": []}], "no_content", "history[1].content"),
        ([{"role": "user", "content": [CALL]}], "misplaced_part", "history[0].content[0]"),
    ],
)
async def test_a_history_that_makes_no_sense_is_refused_and_nothing_is_stored(
    client: Client, history: list[Any], code: str, field: str
) -> None:
    answer = await client.post(CHATS, {"history": history, "content": ASKS})

    assert (answer.status, answer.error["code"], answer.error["field"]) == (400, code, field)
    assert (await client.get(CHATS)).json["chats"] == []


async def test_a_history_is_bounded_as_an_import_is(client: Client) -> None:
    short = {"role": "user", "content": [{"type": "text", "text": "a"}]}

    answer = await client.post(CHATS, {"history": [short] * (HISTORY_MESSAGES_MAX + 1), "content": ASKS})

    assert (answer.status, answer.error["field"]) == (400, "history")


async def test_the_calls_of_a_history_are_bounded_too(client: Client) -> None:
    many = [{**CALL, "tool_call_id": f"c{n}"} for n in range(CALLS_PER_MESSAGE_MAX)]
    done = [{**RESULT["content"][0], "tool_call_id": f"c{n}"} for n in range(CALLS_PER_MESSAGE_MAX)]
    full = [{"role": "assistant", "content": many}, {"role": "tool", "content": done}]
    often = HISTORY_CALLS_MAX // CALLS_PER_MESSAGE_MAX

    taken = await client.post(CHATS, {"history": [USER, *(full * often)], "content": ASKS})
    refused = await client.post(CHATS, {"history": [USER, *(full * (often + 1))], "content": ASKS})

    assert taken.status == 201
    assert (refused.status, refused.error["code"]) == (400, "too_many_parts")


def long_history(size: int) -> list[Any]:
    return [{"role": "user", "content": [{"type": "text", "text": "a" * size}]}]


async def test_a_body_with_a_history_may_be_as_large_as_an_import(client: Client) -> None:
    answer = await client.post(CHATS, {"history": long_history(IMPORT_BYTES_MAX - 200), "content": ASKS})

    assert answer.status == 201
    assert await messages(client, answer.json) == [(1, "user", "text"), (2, "user", "text")]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"history": long_history(IMPORT_BYTES_MAX), "content": ASKS}, "larger than 8192 KiB"),
        ({"content": [{"type": "text", "text": "a" * BODY_BYTES_MAX}]}, "larger than 256 KiB"),
        ({"history": [], "content": [{"type": "text", "text": "a" * BODY_BYTES_MAX}]}, "larger than 256 KiB"),
    ],
    ids=["too large a history", "no history", "an empty history"],
)
async def test_any_larger_body_is_refused_with_its_bound(client: Client, body: Any, words: str) -> None:
    answer = await client.post(CHATS, body)

    assert (answer.status, answer.error["code"]) == (413, "body_too_large")
    assert words in answer.error["message"]
