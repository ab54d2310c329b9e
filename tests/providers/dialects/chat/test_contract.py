"""What holds for the answers of every server."""

import json

import msgspec
import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.providers.dialects.chat import CHAT
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
)
from chatd.providers.request.wire_turn import WireTurn
from tests.providers.dialects.chat.streams import FIELDS, STREAMS
from tests.providers.dialects.chat.validator import problems
from tests.providers.dialects.chat.words import (
    DONE,
    body,
    body_bytes,
    chunk,
    decoded,
    failure,
    finished,
    frame,
    frames,
    ids,
    quirky,
    reply,
    results,
    said,
    target,
    texts,
)
from tests.traceability import proves

every_server = pytest.mark.parametrize("server", list(STREAMS))


@every_server
def test_a_stream_cut_at_any_byte_says_the_same(server: str) -> None:
    stream = STREAMS[server]
    whole = decoded(stream)

    assert decoded(stream, cuts=range(1, len(stream))) == whole
    for place in range(1, len(stream)):
        assert frames(stream, [place]) == frames(stream)


@proves("model-layer", 1)
@every_server
def test_a_complete_answer_ends_once_and_well(server: str) -> None:
    events = decoded(STREAMS[server])

    assert [isinstance(event, Finished | Failed) for event in events].count(True) == 1
    assert finished(events).usage is not None


@proves("model-layer", 2)
@every_server
def test_an_answer_that_breaks_off_fails_until_it_has_said_why_it_ends(server: str) -> None:
    parts = [part + b"\n\n" for part in STREAMS[server].split(b"\n\n")[:-1]]
    ends = next(
        place
        for place, part in enumerate(parts)
        if any(f'"finish_reason": "{why}"'.encode() in part for why in ("stop", "tool_calls"))
    )

    for place in range(len(parts)):
        events = decoded(b"".join(parts[:place]))
        if place <= ends:
            assert failure(events).fault == "incomplete_stream"
            assert failure(events).retryable
        else:
            assert isinstance(events[-1], Finished)


@proves("model-layer", 3)
@every_server
def test_every_block_ends_once_and_every_call_is_made_once(server: str) -> None:
    events = decoded(STREAMS[server])

    opened = list(dict.fromkeys(e.block for e in events if isinstance(e, TextDelta | ReasoningDelta)))
    begun = list(dict.fromkeys(e.call_id for e in events if isinstance(e, ToolInput)))
    assert opened == [e.block for e in events if isinstance(e, BlockEnded)]
    assert begun == [e.call_id for e in events if isinstance(e, ToolCalled)]


@proves("model-layer", 4)
@every_server
def test_unknown_frames_change_nothing(server: str) -> None:
    strange = (
        b'data: {"object":"chat.completion.weather","sun":true}\n\n'
        b"event: ping\ndata: not json\n\n"
        b"data: null\n\n"
        b"data: 17\n\n"
    )
    stream = STREAMS[server].replace(b"\n\n", b"\n\n" + strange)
    decoder = CHAT.decoder(target(), ids())
    out: list[StreamEvent] = []
    for name, data in frames(stream):
        decoder.feed(name, data, out)

    assert out == decoded(STREAMS[server])
    # Those behind the end are not looked at.
    assert decoder.skipped == 4 * (STREAMS[server].count(b"\n\n") - 1)


def _with_strange_fields(value: object) -> object:
    if isinstance(value, dict):
        return {"zzz": {"new": [1]}, **{key: _with_strange_fields(each) for key, each in value.items()}}
    return [_with_strange_fields(each) for each in value] if isinstance(value, list) else value


@proves("model-layer", 5)
# OpenRouter wants its details back with all that is in them.
@pytest.mark.parametrize("server", [server for server in STREAMS if server != "OpenRouter"])
def test_unknown_fields_change_nothing(server: str) -> None:
    stream = b"".join(
        b"data: %b\n\n" % json.dumps(_with_strange_fields(json.loads(data))).encode()
        for _, data in frames(STREAMS[server])[:-1]
    )

    assert decoded(stream) == decoded(STREAMS[server])


@proves("model-layer", 6)
@every_server
def test_a_frame_that_is_no_json_ends_the_answer(server: str) -> None:
    first, _, rest = STREAMS[server].partition(b"\n\ndata")

    events = decoded(first + b'\n\ndata: {"choices": [{]}\n\ndata' + rest)

    assert failure(events).fault == "invalid_response"
    assert events[:-1] == decoded(first + b"\n\n")[:-1]


def test_a_frame_with_a_field_of_the_wrong_kind_ends_the_answer() -> None:
    assert failure(decoded(chunk(content=17))).fault == "invalid_response"


def _conversation(server: str) -> list[WireTurn]:
    answer = reply(decoded(STREAMS[server]))
    after = [results(answer)] if results(answer).parts else []
    return [said("user", "Go on."), answer, *after, said("user", "And then?")]


@proves("model-layer", 8)
@every_server
def test_an_answer_can_be_sent_back(server: str) -> None:
    assert problems(body(_conversation(server), quirky(reasoning_field=FIELDS[server]))) == []


@proves("model-layer", 10, 11)
@every_server
def test_what_was_sent_once_is_sent_the_same_ever_after(server: str) -> None:
    at = quirky(reasoning_field=FIELDS[server])
    turns = _conversation(server)

    shorter = body_bytes(turns[:-1], at)
    longer = body_bytes(turns, at)

    assert body_bytes(turns, at) == longer
    beginning = shorter[: shorter.index(b'],"model"')]
    assert longer.startswith(beginning)


@proves("model-layer", 9)
@every_server
def test_what_goes_back_survives_being_stored(server: str) -> None:
    at = quirky(reasoning_field=FIELDS[server])
    events = decoded(STREAMS[server])
    stored = [
        msgspec.structs.replace(event, internal=json.loads(json.dumps(event.internal)))
        if isinstance(event, BlockEnded | ToolCalled | Finished)
        else event
        for event in events
    ]

    assert body_bytes([reply(stored)], at) == body_bytes([reply(events)], at)


@proves("model-layer", 118)
@every_server
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\n\n", b"\n\n: keep-alive\n\n"),
        (b"\n\n", b"\n\n\n\n"),
        (b"\n", b"\r\n"),
        (b"data: ", b"data:"),
    ],
)
def test_the_frames_of_a_stream_may_be_written_in_many_ways(server: str, before: bytes, after: bytes) -> None:
    assert decoded(STREAMS[server].replace(before, after)) == decoded(STREAMS[server])


@proves("model-layer", 118)
@every_server
def test_the_last_frame_needs_no_blank_line(server: str) -> None:
    assert decoded(STREAMS[server].rstrip(b"\n")) == decoded(STREAMS[server])


@every_server
def test_nothing_follows_the_end(server: str) -> None:
    assert decoded(STREAMS[server] + chunk(content="more") + DONE) == decoded(STREAMS[server])


@proves("model-layer", 103)
def test_openai_speaks_and_calls_two_tools_whose_arguments_alternate() -> None:
    assert decoded(STREAMS["OpenAI"]) == [
        Started("chatcmpl-1", "m-1"),
        TextDelta("Let me ", "t0"),
        TextDelta("look 🔎.", "t0"),
        BlockEnded("t0"),
        ToolInput(CallId("call_a"), "", "weather"),
        ToolInput(CallId("call_a"), '{"city":', "weather"),
        ToolInput(CallId("call_b"), "", "time"),
        ToolInput(CallId("call_a"), '"Köln"}', "weather"),
        ToolInput(CallId("call_b"), '{"zone":"CET"}', "time"),
        ToolCalled(CallId("call_a"), "weather", {"city": "Köln"}),
        ToolCalled(CallId("call_b"), "time", {"zone": "CET"}),
        Finished(
            Stop.TOOLS,
            Usage(input_tokens=12, cache_read_tokens=8, output_tokens=7, reasoning_tokens=3, total_tokens=27),
        ),
    ]


@proves("model-layer", 111)
def test_vllm_thinks_before_a_call_and_says_stop() -> None:
    events = decoded(STREAMS["vLLM"])

    assert events[1:4] == [
        ReasoningDelta("The user ", "r0", {"field": "reasoning_content"}),
        ReasoningDelta("wants the weather.", "r0"),
        BlockEnded("r0", {"field": "reasoning_content"}),
    ]
    assert events[-2] == ToolCalled(CallId("chatcmpl-tool-1f"), "weather", {"city": "Rome"})
    assert finished(events).stop is Stop.TOOLS


def test_ollama_thinks_and_calls_at_once() -> None:
    assert decoded(STREAMS["Ollama"])[1:-1] == [
        ReasoningDelta("Which file?", "r0", {"field": "reasoning"}),
        ReasoningDelta(" That one.", "r0"),
        BlockEnded("r0", {"field": "reasoning"}),
        ToolInput(CallId("call_x1"), '{"path":"a.txt"}', "read_file"),
        ToolCalled(CallId("call_x1"), "read_file", {"path": "a.txt"}),
    ]


@proves("model-layer", 114)
def test_openrouter_says_what_it_cost_and_who_answered() -> None:
    end = finished(decoded(STREAMS["OpenRouter"]))

    assert end.cost_micros == 142
    assert end.internal["provider"] == "Anthropic"
    assert end.usage == Usage(
        input_tokens=5, cache_read_tokens=5, cache_creation_tokens=10, output_tokens=7, total_tokens=27
    )


def test_deepseek_thinks_and_then_answers() -> None:
    events = decoded(STREAMS["DeepSeek"])

    assert events[1:-1] == [
        ReasoningDelta("", "r0", {"field": "reasoning_content"}),
        ReasoningDelta("Hm", "r0"),
        ReasoningDelta("m.", "r0"),
        BlockEnded("r0", {"field": "reasoning_content"}),
        TextDelta("Four", "t0"),
        TextDelta(".", "t0"),
        BlockEnded("t0"),
    ]
    assert finished(events).usage == Usage(
        input_tokens=4, cache_read_tokens=16, output_tokens=7, total_tokens=27
    )


@proves("model-layer", 109)
def test_xai_counts_thoughts_beside_the_answer() -> None:
    assert finished(decoded(STREAMS["xAI"])).usage == Usage(
        input_tokens=10, output_tokens=104, reasoning_tokens=100, total_tokens=114
    )


def test_groq_counts_in_a_field_of_its_own() -> None:
    assert finished(decoded(STREAMS["Groq"])).usage == Usage(
        input_tokens=20, output_tokens=7, total_tokens=27
    )


def test_half_a_character_in_a_piece_is_no_error() -> None:
    stream = (
        b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"\\ude00"},"finish_reason":"stop"}]}\n\n'
    )

    assert texts(decoded(stream)) == {"t0": "\ud83d\ude00"}


def test_bytes_that_are_no_text_are_replaced() -> None:
    stream = b'data: {"choices":[{"delta":{"content":"a\xf0\x9f"},"finish_reason":"stop"}]}\n\n'

    assert texts(decoded(stream)) == {"t0": "a\ufffd"}


@pytest.mark.parametrize("opening", [b"[", b'{"choices":[', b'{"new":['])
def test_what_is_nested_beyond_reason_is_no_answer(opening: bytes) -> None:
    stream = b"data: " + opening + b"[" * 100_000 + b"\n\n"

    assert failure(decoded(stream)).fault == "invalid_response"


def test_qwen_counts_what_it_has_cached_under_a_name_of_its_own() -> None:
    details = {"cached_tokens": 0, "cache_creation_input_tokens": 15}
    counted = {"prompt_tokens": 20, "completion_tokens": 7, "prompt_tokens_details": details}
    stream = chunk("stop", content="Hi.") + frame(choices=[], usage=counted) + DONE

    assert finished(decoded(stream)).usage == Usage(
        input_tokens=5, cache_creation_tokens=15, output_tokens=7, total_tokens=27
    )
