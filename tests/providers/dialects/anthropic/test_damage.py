"""What fuzzing found: frames that no provider should send, and that one day some gateway does."""

import pytest

from chatd.providers.events import Failed, Finished, StreamEvent, TextDelta, ToolReturned
from tests.providers.dialects.anthropic.streams import (
    SEARCH_RESULT,
    Wire,
    delta,
    end,
    frame,
    message_start,
    read,
    read_in,
    start,
    stop,
    text,
    wire,
)
from tests.providers.replayed import balanced


def _fault(events: list[StreamEvent]) -> str | None:
    assert isinstance(events[-1], Failed), events[-1]
    return events[-1].error.fault


@pytest.mark.parametrize("levels", [300, 970, 9000])
def test_a_frame_that_is_nested_beyond_measure_is_malformed(levels: int) -> None:
    deep = (
        b'{"type":"content_block_start","index":0,"content_block":' + b'{"a":' * levels + b"1" + b"}" * levels
    )
    damaged = b"event: content_block_start\ndata: " + deep + b"}\n\n"

    assert _fault(read_in([frame(message_start()), damaged])) == "invalid_response"


def test_half_a_byte_sequence_in_a_text_does_not_end_the_answer() -> None:
    events = read_in([wire([message_start(), *text(0, "Hello"), *end()]).replace(b"Hello", b"Hell\xc3")])

    assert TextDelta("Hell\N{REPLACEMENT CHARACTER}", "0") in events
    assert isinstance(events[-1], Finished)


def test_a_type_that_is_half_a_character_is_unknown() -> None:
    nameless = frame({"type": "\ud83d"}, name=False)

    events = read_in([frame(message_start()), nameless, wire([*text(0, "Hello"), *end()])])

    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize("citations", [1, 1.5, "x", {"a": 1}, True])
def test_citations_that_are_no_list_are_none(citations: object) -> None:
    events = read([message_start(), start(0, type="text", text="Hi", citations=citations), stop(0), *end()])

    assert not balanced(events)
    assert isinstance(events[-1], Finished)


def test_a_result_without_an_id_gets_one_of_its_own() -> None:
    nameless: Wire = {name: value for name, value in SEARCH_RESULT.items() if name != "tool_use_id"}

    events = read([message_start(), start(0, **nameless), stop(0), *end()])

    (result,) = [event for event in events if isinstance(event, ToolReturned)]
    assert result.call_id


def test_nothing_is_counted_below_zero() -> None:
    events = read([message_start(input_tokens=-5, cache_read_input_tokens=-1), *text(0, "Hi"), *end()])

    last = events[-1]
    assert isinstance(last, Finished)
    assert last.usage is not None
    assert (last.usage.input_tokens, last.usage.cache_read_tokens, last.usage.total_tokens) == (0, 0, 15)


def test_an_unknown_delta_may_hold_anything() -> None:
    strange = delta(0, "telepathy_delta", text=[1], thinking={})

    events = read([message_start(), *text(0, "Hi")[:-1], strange, stop(0), *end()])

    assert isinstance(events[-1], Finished)
