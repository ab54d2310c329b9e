from typing import Any

import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.dialects.converse.decode import ConverseDecoder
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    Refusal,
    SourceFound,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.transport.aws_frames import AwsFrames
from tests.providers.dialects.converse.streams import (
    ANSWERS,
    METADATA,
    START,
    TARGET,
    Said,
    call,
    decoded,
    delta,
    end,
    piece,
    stop,
    wire,
)
from tests.providers.replayed import balanced, numbered, told
from tests.providers.transport.aws_writer import event, fault, header, message
from tests.traceability import proves

COUNTED = Usage(
    input_tokens=100,
    cache_read_tokens=50,
    cache_creation_tokens=1000,
    cache_creation_1h_tokens=600,
    output_tokens=40,
    total_tokens=1190,
)
STARTED = Started("", TARGET.model)
HI = (START, delta(0, text="Hi"))

each_answer = pytest.mark.parametrize("name", ANSWERS)


def failure(events: list[StreamEvent]) -> Failed:
    assert isinstance(events[-1], Failed)
    return events[-1]


@proves("model-layer", 1, 3)
@each_answer
def test_a_complete_answer_finishes_once_and_its_blocks_balance(name: str) -> None:
    events = decoded(wire(*ANSWERS[name]))
    assert isinstance(events[-1], Finished)
    assert balanced(events) == []


@each_answer
def test_it_does_not_matter_where_an_answer_is_cut(name: str) -> None:
    data = wire(*ANSWERS[name])
    whole = decoded(data)
    assert decoded(*(wire(each) for each in ANSWERS[name])) == whole
    assert decoded(*(data[place : place + 1] for place in range(len(data)))) == whole
    for place in range(len(data)):
        assert decoded(data[:place], data[place:]) == whole


@proves("model-layer", 2)
@each_answer
def test_an_answer_that_stops_early_is_incomplete(name: str) -> None:
    said = ANSWERS[name]
    for frames in range(len(said) - 1):
        events = decoded(wire(*said[:frames]))
        error = failure(events).error
        assert (error.fault, error.retryable) == ("incomplete_stream", True)
        assert balanced(events) == []
    # Only the counts are missing.
    finished = decoded(wire(*said[:-1]))[-1]
    assert isinstance(finished, Finished)
    assert finished.usage is None


@proves("model-layer", 4)
@each_answer
def test_unknown_events_and_blocks_in_between_change_nothing(name: str) -> None:
    novelties: tuple[Said, ...] = (("novelty", {"a": 1}), delta(77, hologram={"a": 1}))
    said = [each for known in ANSWERS[name] for each in (*novelties, known)]
    decoder = ConverseDecoder(TARGET.model, numbered())
    assert told(decoder, AwsFrames().feed(wire(*said))) == decoded(wire(*ANSWERS[name]))
    assert decoder.skipped == len(novelties) * len(ANSWERS[name])


def embellished(value: Json) -> Json:
    if isinstance(value, dict):
        return {"zz": {"new": [1, None]}} | {
            # What is kept as it came is not ours to change.
            key: each if isinstance(each, list) and key == "toolResult" else embellished(each)
            for key, each in value.items()
        }
    return value


@proves("model-layer", 5)
@each_answer
def test_unknown_fields_everywhere_change_nothing(name: str) -> None:
    said: list[Said] = [(kind, embellished(each)) for kind, each in ANSWERS[name]]
    assert decoded(wire(*said)) == decoded(wire(*ANSWERS[name]))


@proves("model-layer", 6)
@pytest.mark.parametrize(
    "broken",
    [
        event("contentBlockDelta", b'{"delta":'),
        event("contentBlockDelta", b'{"delta":{"text":7}}'),
        event("contentBlockStart", b"[]"),
        event("messageStop", b""),
        event("contentBlockDelta", {"delta": {"reasoningContent": {"redactedContent": "*"}}}),
    ],
)
def test_what_cannot_be_read_ends_the_stream(broken: bytes) -> None:
    events = decoded(wire(*HI) + broken + wire(*ANSWERS["text"]))
    assert events[:-1] == [STARTED, TextDelta("Hi", "t0")]
    assert failure(events).error.fault == "invalid_response"


@proves("model-layer", 136)
def test_reasoning_text_and_a_call_come_in_order_and_counts_at_the_end() -> None:
    call_id = CallId("tooluse_1")
    assert decoded(wire(*ANSWERS["reasoning, text and a call"])) == [
        STARTED,
        ReasoningDelta("Let me ", "r0"),
        ReasoningDelta("see.", "r0"),
        ReasoningDelta("", "r0", {"signature": "c2ln"}),
        ReasoningDelta("", "r0", {"signature": "c2lnbmVk"}),
        BlockEnded("r0", {"signature": "c2lnbmVk"}),
        TextDelta("Looking.", "t1"),
        BlockEnded("t1"),
        ToolInput(call_id, "", "weather"),
        ToolInput(call_id, '{"ci'),
        ToolInput(call_id, 'ty":"Ōsa'),
        ToolInput(call_id, 'ka"}'),
        ToolCalled(call_id, "weather", {"city": "Ōsaka"}),
        Finished(Stop.TOOLS, COUNTED),
    ]


def test_fragments_of_redacted_reasoning_are_one() -> None:
    assert decoded(wire(*ANSWERS["redacted reasoning"]))[1:4] == [
        ReasoningDelta("", "r0", {"redacted": "c2VjcmV0IA=="}),
        ReasoningDelta("", "r0", {"redacted": "c2VjcmV0IHRob3VnaHRz"}),
        BlockEnded("r0", {"redacted": "c2VjcmV0IHRob3VnaHRz"}),
    ]


def test_calls_may_come_interleaved() -> None:
    events = decoded(wire(*ANSWERS["two calls at once, one without arguments"]))
    assert [e for e in events if isinstance(e, ToolCalled)] == [
        ToolCalled(CallId("tooluse_2"), "clock", {}),
        ToolCalled(CallId("tooluse_1"), "weather", {"city": "A"}),
    ]


@proves("model-layer", 7)
def test_an_empty_block_says_nothing() -> None:
    assert decoded(wire(*ANSWERS["an empty block"]))[1:3] == [TextDelta("a", "t1"), BlockEnded("t1")]


def test_what_the_provider_runs_itself_is_a_call_and_a_result() -> None:
    events = decoded(wire(*ANSWERS["a search of the provider's own"]))
    call_id = CallId("srv_1")
    assert events[3:5] == [
        ToolCalled(
            call_id,
            "nova_grounding",
            {"query": "x"},
            provider_executed=True,
            internal={"type": "server_tool_use"},
        ),
        ToolReturned(
            call_id,
            "nova_grounding",
            [{"text": "One"}, {"json": {"two": 2}}],
            internal={"type": "nova_grounding_result", "status": "success"},
        ),
    ]
    assert [e for e in events if isinstance(e, SourceFound)] == [SourceFound("id-1", "https://a", "A")]
    assert events[-1] == Finished(Stop.DONE, COUNTED)


@pytest.mark.parametrize(
    ("written", "args"),
    [
        ("", {}),
        ("  ", {}),
        ('{"a":1}', {"a": 1}),
        ("[1]", "[1]"),
        ('{"a":1', '{"a":1'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ('{"a":{"b":1,"b":2}}', '{"a":{"b":1,"b":2}}'),
        ('{"a":NaN}', '{"a":NaN}'),
    ],
)
def test_arguments_that_are_no_good_object_stay_what_was_written(written: str, args: Json) -> None:
    events = decoded(wire(START, call(0, "x", "a"), piece(0, written), end(0), stop("tool_use")))
    assert ToolCalled(CallId("x"), "a", args) in events


def test_a_call_that_was_cut_off_stays_half() -> None:
    events = decoded(wire(START, call(0, "x", "a"), piece(0, '{"b":"c'), stop("max_tokens")))
    assert events[-2:] == [
        ToolCalled(CallId("x"), "a", '{"b":"c'),
        Finished(Stop.LENGTH),
    ]


def test_a_call_that_was_cut_off_before_its_arguments_is_never_a_valid_one() -> None:
    cut = decoded(wire(START, call(0, "x", "a"), end(0), stop("max_tokens")))
    meant = decoded(wire(START, call(0, "x", "a"), end(0), stop("tool_use")))

    assert ToolCalled(CallId("x"), "a", "") in cut
    assert ToolCalled(CallId("x"), "a", {}) in meant


def test_only_the_last_call_can_have_been_cut_off() -> None:
    events = decoded(wire(START, call(0, "x", "a"), end(0), delta(1, text="Hi"), end(1), stop("max_tokens")))

    assert [event for event in events if isinstance(event, ToolCalled | TextDelta)] == [
        ToolCalled(CallId("x"), "a", {}),
        TextDelta("Hi", "t1"),
    ]


def test_two_calls_never_share_an_id_and_none_is_nameless() -> None:
    twice = (call(0, "x", "a"), end(0), call(1, "x", "b"), end(1), call(2, "", "c"), end(2))
    events = decoded(wire(START, *twice, stop("tool_use")))
    assert [e.call_id for e in events if isinstance(e, ToolCalled)] == ["x", "id-1", "id-2"]
    assert balanced(events) == []


def test_input_for_a_call_that_never_began_is_skipped() -> None:
    events = decoded(wire(START, piece(5, "{}"), delta(0, text="a"), end(0), stop("end_turn")))
    assert events == [
        STARTED,
        TextDelta("a", "t0"),
        BlockEnded("t0"),
        Finished(Stop.DONE),
    ]


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        ("end_turn", Stop.DONE),
        ("stop_sequence", Stop.DONE),
        ("tool_use", Stop.TOOLS),
        ("max_tokens", Stop.LENGTH),
        ("model_context_window_exceeded", Stop.LENGTH),
        ("guardrail_intervened", Stop.REFUSED),
        ("content_filtered", Stop.REFUSED),
        ("something_new", Stop.OTHER),
    ],
)
def test_each_reason_has_its_meaning(reason: str, meaning: Stop) -> None:
    finished = decoded(wire(*HI, end(0), stop(reason), METADATA))[-1]
    refusal = Refusal(reason) if meaning is Stop.REFUSED else None
    assert finished == Finished(meaning, COUNTED, refusal=refusal)


def test_an_answer_with_calls_wants_them_run_whatever_it_says() -> None:
    finished = decoded(wire(START, call(0, "x", "a"), end(0), stop("end_turn")))[-1]
    assert finished == Finished(Stop.TOOLS)


@pytest.mark.parametrize("reason", ["malformed_model_output", "malformed_tool_use"])
def test_some_reasons_are_failures(reason: str) -> None:
    error = failure(decoded(wire(*HI, stop(reason), METADATA))).error
    assert (error.fault, error.retryable) == ("invalid_response", True)


@proves("model-layer", 137)
@pytest.mark.parametrize(
    ("exception", "status", "retryable"),
    [
        ("throttlingException", 429, True),
        ("internalServerException", 500, True),
        ("serviceUnavailableException", 503, True),
        ("modelStreamErrorException", 424, True),
        ("validationException", 400, False),
    ],
)
def test_an_exception_in_the_stream_is_a_failure(exception: str, status: int, retryable: bool) -> None:  # noqa: FBT001
    events = decoded(wire(*HI) + fault(exception, "Not now") + wire(end(0), stop("end_turn")))
    assert events[:-1] == [STARTED, TextDelta("Hi", "t0")]
    error = failure(events).error
    assert (error.status_code, error.retryable) == (status, retryable)


@pytest.mark.parametrize("payload", [b"", b"<html>", b'{"Message":"Loud"}'])
def test_an_exception_is_a_failure_whatever_it_says(payload: bytes) -> None:
    headers = header(":message-type", "exception") + header(":exception-type", "somethingNewException")
    assert isinstance(failure(decoded(wire(*HI) + message(headers, payload))), Failed)


def test_nothing_follows_the_end() -> None:
    decoder = CONVERSE.decoder(TARGET, numbered())
    out = told(decoder, AwsFrames().feed(wire(*ANSWERS["text"])))
    before = list(out)
    more: dict[str, Any] = delta(0, text="more")[1]
    decoder.feed(b"contentBlockDelta", codec.encode(more), out)
    decoder.close(out)
    assert out == before
