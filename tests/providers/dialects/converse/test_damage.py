"""What fuzzing found: events that no provider should send, and that one day some gateway does."""

import pytest

from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    TextDelta,
    ToolCalled,
    ToolReturned,
)
from tests.providers.dialects.converse.streams import (
    START,
    begin,
    call,
    decoded,
    delta,
    end,
    piece,
    stop,
    wire,
)
from tests.providers.replayed import balanced
from tests.providers.transport.aws_writer import event


def test_a_block_whose_index_comes_again_is_another_one() -> None:
    events = decoded(
        wire(
            START,
            delta(0, text="One."),
            end(0),
            delta(0, text="Two."),
            end(0),
            delta(0, reasoningContent={"text": "Hm."}),
            end(0),
            delta(0, reasoningContent={"text": "So."}),
            end(0),
            stop("end_turn"),
        )
    )

    assert not balanced(events)
    assert len({e.block for e in events if isinstance(e, TextDelta)}) == 2
    assert len({e.block for e in events if isinstance(e, ReasoningDelta)}) == 2


def test_a_call_that_never_ended_is_called_when_its_index_begins_anew() -> None:
    events = decoded(
        wire(START, call(0, "c1", "look"), piece(0, "{}"), call(0, "c2", "look"), end(0), stop("tool_use"))
    )

    assert [e.call_id for e in events if isinstance(e, ToolCalled)] == ["c1", "c2"]


def test_a_text_that_never_ended_ends_when_its_index_begins_anew() -> None:
    events = decoded(wire(START, delta(0, text="One."), call(0, "c1", "look"), end(0), stop("tool_use")))

    kinds = [type(e) for e in events if isinstance(e, BlockEnded | ToolCalled)]
    assert kinds == [BlockEnded, ToolCalled]


def test_a_result_takes_no_arguments_and_a_call_no_results() -> None:
    events = decoded(
        wire(
            START,
            call(0, "s1", "search", type="server_tool_use"),
            delta(0, toolResult=[{"text": "?"}]),
            end(0),
            begin(1, toolResult={"toolUseId": "s1", "type": "search_result"}),
            piece(1, '{"late":1}'),
            delta(1, toolResult=[{"text": "Found."}]),
            end(1),
            stop("end_turn"),
        )
    )

    assert not balanced(events)
    (result,) = [e for e in events if isinstance(e, ToolReturned)]
    assert result.result == [{"text": "Found."}]


def test_a_result_without_an_id_gets_one_of_its_own() -> None:
    events = decoded(wire(START, begin(0, toolResult={"type": "x"}), end(0), stop("end_turn")))

    (result,) = [e for e in events if isinstance(e, ToolReturned)]
    assert result.call_id


@pytest.mark.parametrize("data", ["ü", "a", "====", "\ud83d"])
def test_redacted_thoughts_that_are_no_base64_are_malformed(data: str) -> None:
    events = decoded(wire(START, delta(0, reasoningContent={"redactedContent": data}), stop("end_turn")))

    assert isinstance(events[-1], Failed)
    assert events[-1].error.fault == "invalid_response"


@pytest.mark.parametrize("levels", [300, 970, 9000])
def test_an_event_that_is_nested_beyond_measure_is_malformed(levels: int) -> None:
    deep = b'{"contentBlockIndex":0,"delta":{"toolResult":' + b"[" * levels + b"]" * levels + b"}}"

    events = decoded(wire(START), event("contentBlockDelta", deep))

    assert isinstance(events[-1], Failed)
    assert events[-1].error.fault == "invalid_response"


def test_nothing_is_counted_below_zero() -> None:
    counts = {"inputTokens": -4, "outputTokens": 3, "cacheDetails": [{"ttl": "1h", "inputTokens": -9}]}

    last = decoded(
        wire(START, delta(0, text="Hi."), end(0), stop("end_turn"), ("metadata", {"usage": counts}))
    )[-1]

    assert isinstance(last, Finished)
    assert last.usage is not None
    assert (last.usage.input_tokens, last.usage.cache_creation_1h_tokens, last.usage.total_tokens) == (
        0,
        0,
        3,
    )
