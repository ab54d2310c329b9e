"""What a model was sent and answered, as our JSON: whole where it is short, bounded where it is not."""

from chatd.domain.ids import CallId, MessageId
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import Part, Text, ToolCall, ToolResult
from chatd.kit.codec import encode_text
from chatd.providers.events import Stop
from chatd.providers.model import Named, Request, ToolSpec
from chatd.records.as_json import (
    MESSAGES_CHARACTERS_MAX,
    PART_CHARACTERS_MAX,
    TOOLS_CHARACTERS_MAX,
    first_words,
    reply_as_json,
    request_as_json,
)
from chatd.records.secrets import hiding
from tests.providers.histories import message

KEY = "a-key-that-opens-nothing"
HIDE = hiding([KEY])


def said(words: str) -> Message:
    return message(Role.USER, Text(text=words))


def test_a_request_is_told_with_all_that_the_model_knew() -> None:
    tool = ToolSpec(name="echo", description="Says it again.", input_schema={"type": "object"})
    hello = said("Hello?")
    request = Request(messages=[hello], system=("Be brief.",), tools=(tool,), tool_choice=Named("echo"))

    assert request_as_json(request, HIDE) == {
        "system": ["Be brief."],
        "messages": [{"id": hello.id, "role": "user", "content": [{"type": "text", "text": "Hello?"}]}],
        "tools": [{"name": "echo", "description": "Says it again.", "input_schema": {"type": "object"}}],
        "tool_choice": {"tool": "echo"},
    }


def test_what_was_said_for_one_call_only_is_told_last() -> None:
    rendered = request_as_json(Request(messages=[said("Hello?")], then=(said("Sum up."),)), HIDE)

    assert [each["content"][0]["text"] for each in rendered["messages"]] == ["Hello?", "Sum up."]


def test_a_long_part_is_cut() -> None:
    rendered = request_as_json(Request(messages=[said("a" * (PART_CHARACTERS_MAX + 3))]), HIDE)

    text = rendered["messages"][0]["content"][0]["text"]
    assert text == "a" * PART_CHARACTERS_MAX + "… [left out: 3 more characters]"


def test_a_long_result_is_cut_as_json() -> None:
    result = ToolResult(tool_call_id=CallId("a"), tool_name="list", result=["word"] * 5000)
    rendered = request_as_json(Request(messages=[message(Role.TOOL, result)]), HIDE)

    text = rendered["messages"][0]["content"][0]["result"]
    assert text.startswith('["word","word",')
    assert text.endswith("more characters]")


def test_of_a_long_history_the_newest_messages_are_told() -> None:
    history = [said(f"{number} " + "a" * 9000) for number in range(100)]

    rendered = request_as_json(Request(messages=history), HIDE, earlier=7)

    assert len(encode_text(rendered)) < MESSAGES_CHARACTERS_MAX + 10_000
    assert rendered["messages"][-1]["content"][0]["text"].startswith("99 ")
    assert rendered["earlier_messages_left_out"] + len(rendered["messages"]) == 107


def test_of_very_long_tools_only_the_names_are_told() -> None:
    tool = ToolSpec(name="echo", description="a" * TOOLS_CHARACTERS_MAX, input_schema={})

    assert request_as_json(Request(messages=[], tools=(tool,)), HIDE)["tools"] == [{"name": "echo"}]


def test_neither_keys_nor_files_nor_secrets_are_told() -> None:
    parts: tuple[Part, ...] = (
        Text(text=f"My key is {KEY}."),
        ToolCall(tool_call_id=CallId("a"), tool_name="log_in", args={"password": "swordfish"}),
        ToolResult(
            tool_call_id=CallId("a"),
            tool_name="look",
            result={"media_type": "image/png", "data": "aGVsbG8="},
            is_media=True,
        ),
    )
    reply = reply_as_json(Draft(role=Role.ASSISTANT, content=parts), Stop.DONE, HIDE)
    request = request_as_json(Request(messages=[message(Role.ASSISTANT, *parts)], system=(KEY,)), HIDE)

    assert [part.get("args", part.get("text")) for part in reply["content"]] == [
        "My key is ….",
        {"password": "[hidden]"},
        None,
    ]
    assert reply["content"][2]["result"]["data"] == "[a file: image/png, 5 bytes]"
    assert request["messages"][0]["content"] == reply["content"]
    assert KEY not in encode_text(request)


def test_a_reply_without_words_is_told_with_the_reason() -> None:
    assert reply_as_json(None, Stop.REFUSED, HIDE) == {"content": [], "stop": "refused"}


def test_a_run_begins_with_the_words_that_it_answers_in_a_line() -> None:
    history = [said("Hello?"), said(f"Two\nlines, {KEY}, and " + "many " * 50)]

    words = first_words(history, history[1].id, HIDE)

    assert words.startswith("Two lines, …, and many many")
    assert len(words) <= 200
    assert first_words(history, MessageId(99), HIDE) == ""
