"""What fuzzing found: frames that no provider should send, and that one day some gateway does."""

from collections.abc import Sequence

import pytest

from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
)
from tests.providers.dialects.responses.wire import (
    USAGE,
    Event,
    added,
    argument_delta,
    call,
    call_item,
    completed,
    created,
    decode,
    decoder,
    done,
    heard,
    message,
    message_item,
    reasoning,
    stream,
    text_delta,
)
from tests.providers.replayed import balanced


def _texts(events: Sequence[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def _late_thought(item_id: str) -> Event:
    spot = {"output_index": 0, "summary_index": 0, "item_id": item_id}
    return {"type": "response.reasoning_summary_text.delta", **spot, "delta": "More."}


@pytest.mark.parametrize("content_index", [0, 1])
def test_words_of_a_message_that_is_over_are_skipped(content_index: int) -> None:
    late = text_delta(0, "msg_1", " And more.", content_index)

    events = heard(created(), *message(0, "msg_1", "All."), late, completed())

    assert _texts(events) == "All."
    assert not balanced(events)


def test_an_unknown_item_may_have_anything_in_fields_that_we_know() -> None:
    found = {"id": "ts_1", "type": "tool_search_call", "arguments": {"paths": ["a"]}, "content": "found"}

    events = heard(
        created(),
        added(0, found),
        done(0, found),
        *message(1, "msg_1", "All."),
        completed(found, message_item("msg_1", "All.")),
    )

    assert _texts(events) == "All."
    assert isinstance(events[-1], Finished)


def test_what_is_skipped_is_counted() -> None:
    late = (text_delta(0, "msg_1", "x"), text_delta(0, "msg_1", "x"))
    reader = decoder()
    out: list[StreamEvent] = []
    for event in (created(), *message(0, "msg_1", "All."), *late):
        reader.feed(event["type"].encode(), stream(event).split(b"data: ")[1], out)

    assert reader.skipped == 2


def test_thoughts_of_an_item_that_is_over_are_skipped() -> None:
    events = heard(created(), *reasoning(0, "rs_1", "So."), _late_thought("rs_1"), completed())

    thoughts = [event.text for event in events if isinstance(event, ReasoningDelta)]
    assert "".join(thoughts) == "So."
    assert not balanced(events)


def test_arguments_of_a_call_that_is_over_are_skipped() -> None:
    late = argument_delta(0, "fc_1", '{"more":1}')

    events = heard(created(), *call(0, "fc_1", "call_1", "look", '{"at":"sky"}'), late, completed())

    (called,) = [event for event in events if isinstance(event, ToolCalled)]
    assert called.args == {"at": "sky"}
    assert isinstance(events[-2], ToolCalled)


def test_an_item_that_turns_out_to_be_something_else_ends_what_it_began() -> None:
    events = heard(
        created(),
        added(0, {**message_item("msg_1", ""), "content": []}),
        text_delta(0, "msg_1", "Let me"),
        _late_thought("msg_1"),
        done(0, call_item("msg_1", "call_1", "look", "{}")),
        completed(),
    )

    assert not balanced(events)
    assert len([event for event in events if isinstance(event, BlockEnded)]) == 2
    assert isinstance(events[-1], Finished)


def test_places_below_zero_are_no_places() -> None:
    events = heard(
        created(),
        *(text_delta(-2, item_id, item_id) for item_id in ("msg_1", "msg_2", "msg_1")),
        completed(),
    )

    blocks = [event.block for event in events if isinstance(event, TextDelta)]
    assert blocks == ["msg_1", "msg_2", "msg_1"]
    assert not balanced(events)


def test_half_a_character_in_an_item_does_not_end_the_answer() -> None:
    whole = stream(created(), *call(0, "fc_1", "call_1", "look", '{"at":"sky"}'), completed())
    damaged = whole.replace(b'\\"sky\\"', b'\\"sky\\ud83d\\"')

    events = decode([damaged])

    assert any(isinstance(event, ToolInput) for event in events)
    assert isinstance(events[-1], Finished)


def test_nothing_is_counted_below_zero() -> None:
    events = heard(created(), *message(0, "msg_1", "Hi."), completed(usage={**USAGE, "output_tokens": -7}))

    last = events[-1]
    assert isinstance(last, Finished)
    assert last.usage is not None
    assert last.usage.output_tokens == 0
