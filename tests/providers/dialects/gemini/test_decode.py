import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.kit import codec
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.dialects.gemini.decode import GeminiDecoder
from chatd.providers.events import (
    BlockEnded,
    Failed,
    FileMade,
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
from chatd.providers.transport.sse import SseFrames
from tests.providers.dialects.gemini.streams import (
    ANSWERS,
    LAST,
    TARGET,
    Chunk,
    call,
    chunk,
    decoded,
    sse,
    text,
    thought,
)
from tests.providers.replayed import balanced, comparable, numbered, told
from tests.traceability import proves

COUNTED = Usage(
    input_tokens=105, cache_read_tokens=20, output_tokens=37, reasoning_tokens=30, total_tokens=162
)
STARTED = Started("resp-1", "gemini-3-pro-preview")

each_answer = pytest.mark.parametrize("name", ANSWERS)


def failure(events: list[StreamEvent]) -> Failed:
    assert isinstance(events[-1], Failed)
    return events[-1]


@proves("model-layer", 1, 3)
@each_answer
def test_a_complete_answer_finishes_once_and_its_blocks_balance(name: str) -> None:
    events = decoded(sse(*ANSWERS[name]))
    assert isinstance(events[-1], Finished)
    assert balanced(events) == []


@each_answer
def test_it_does_not_matter_where_an_answer_is_cut(name: str) -> None:
    data = sse(*ANSWERS[name])
    whole = decoded(data)
    assert decoded(*(sse(each) for each in ANSWERS[name])) == whole
    assert decoded(*(data[place : place + 1] for place in range(len(data)))) == whole
    for place in range(len(data)):
        assert decoded(data[:place], data[place:]) == whole


@proves("model-layer", 2, 132)
@each_answer
def test_an_answer_that_stops_early_is_incomplete(name: str) -> None:
    for frames in range(len(ANSWERS[name])):
        events = decoded(sse(*ANSWERS[name][:frames]))
        error = failure(events).error
        assert (error.fault, error.retryable) == ("incomplete_stream", True)
        assert balanced(events) == []


@proves("model-layer", 4)
@each_answer
def test_an_unknown_chunk_in_between_changes_nothing(name: str) -> None:
    chunks = [each for known in ANSWERS[name] for each in ({"novelty": {"a": [1]}}, known)]
    decoder = GeminiDecoder(numbered())
    assert told(decoder, SseFrames().feed(sse(*chunks))) == decoded(sse(*ANSWERS[name]))
    assert decoder.skipped == len(ANSWERS[name])


def test_a_frame_with_an_unknown_name_is_not_even_read() -> None:
    decoder = GeminiDecoder(numbered())
    frames = [(b"novelty", b"not JSON"), *SseFrames().feed(sse(*ANSWERS["text"]))]
    assert told(decoder, frames) == decoded(sse(*ANSWERS["text"]))
    assert decoder.skipped == 1


def embellished(value: object) -> object:
    if isinstance(value, dict):
        return {"zz": {"new": [1, None]}} | {
            # What is kept as it came is not ours to change.
            key: each
            if key in {"args", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"}
            else embellished(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [embellished(each) for each in value]
    return value


@proves("model-layer", 5)
@each_answer
def test_unknown_fields_everywhere_change_nothing(name: str) -> None:
    events = decoded(sse(*(codec.encode(embellished(each)) for each in ANSWERS[name])))
    plain = decoded(sse(*ANSWERS[name]))
    if name == "grounded text":
        # The grounding is kept whole, with whatever is new in it.
        assert events[:-1] == plain[:-1]
    else:
        assert events == plain


def in_pieces(path: str) -> Chunk:
    pieces = [{"jsonPath": path, "stringValue": "x"}]
    return {"functionCall": {"name": "a", "partialArgs": pieces, "willContinue": True}}


@proves("model-layer", 6)
@pytest.mark.parametrize(
    "broken",
    [
        b'{"candidates":[',
        b'{"candidates":7}',
        b"<html>",
        b'{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"a/b","data":"*"}}]}}]}',
        codec.encode(chunk(in_pieces("$.a[5]"))),
        codec.encode(chunk(in_pieces("a.b"))),
    ],
)
def test_what_cannot_be_read_ends_the_stream(broken: bytes) -> None:
    events = decoded(sse(chunk(text("Hi")), broken, *ANSWERS["text"]))
    assert [e for e in events if isinstance(e, TextDelta)] == [TextDelta("Hi", "t0")]
    assert failure(events).error.fault == "invalid_response"


def test_half_a_character_in_a_text_does_not_end_the_stream() -> None:
    data = codec.encode(chunk(text("MARK"), finish="STOP")).replace(b"MARK", b"a\\ud83c")
    assert TextDelta("a\ud83c", "t0") in decoded(sse(data))


def test_text_is_said_as_it_comes() -> None:
    assert decoded(sse(*ANSWERS["text"])) == [
        STARTED,
        TextDelta("Ju", "t0"),
        TextDelta("piter, Wörld 🌍", "t0"),
        BlockEnded("t0"),
        Finished(Stop.DONE, COUNTED),
    ]


@proves("model-layer", 124)
def test_thoughts_end_before_text_and_a_signature_stays_with_its_call() -> None:
    assert decoded(sse(*ANSWERS["thoughts, text and a signed call"])) == [
        STARTED,
        ReasoningDelta("Let me ", "r0"),
        ReasoningDelta("see.", "r0"),
        BlockEnded("r0"),
        TextDelta("Looking it up.", "t1"),
        BlockEnded("t1"),
        ToolInput(CallId("fc-1"), '{"city":"Ōsaka"}', "weather"),
        ToolCalled(
            CallId("fc-1"), "weather", {"city": "Ōsaka"}, internal={"id": "fc-1", "signature": "c2ln"}
        ),
        Finished(Stop.TOOLS, COUNTED),
    ]


@proves("model-layer", 125)
def test_a_signature_without_text_is_kept_where_it_came() -> None:
    assert decoded(sse(*ANSWERS["a signature on an empty last part"]))[1:-1] == [
        TextDelta("It is ", "t0"),
        TextDelta("cold.", "t0"),
        BlockEnded("t0", {"signed": [[11, 11, "ZW1wdHk="]]}),
    ]
    assert decoded(sse(*ANSWERS["nothing but a signature"]))[1:-1] == [
        ReasoningDelta("Hm.", "r0"),
        BlockEnded("r0"),
        TextDelta("", "t1"),
        BlockEnded("t1", {"signed": [[0, 0, "b25seQ=="]]}),
    ]


def test_a_part_that_is_only_a_signature_counts_as_empty_text() -> None:
    events = decoded(sse(chunk(text("Hi")), chunk({"thoughtSignature": "eA=="}, finish="STOP")))
    assert BlockEnded("t0", {"signed": [[2, 2, "eA=="]]}) in events


def test_people_read_one_text_of_which_a_stretch_was_signed() -> None:
    assert decoded(sse(*ANSWERS["signatures in the midst of text"]))[1:-1] == [
        TextDelta("One", "t0"),
        TextDelta(" two", "t0"),
        TextDelta(" three", "t0"),
        BlockEnded("t0", {"signed": [[3, 7, "dHdv"]]}),
    ]


def test_a_signed_thought_keeps_its_signature() -> None:
    assert decoded(sse(*ANSWERS["a signed thought"]))[1:3] == [
        ReasoningDelta("Deep.", "r0", {"signature": "ZGVlcA=="}),
        BlockEnded("r0", {"signature": "ZGVlcA=="}),
    ]


@proves("model-layer", 127)
def test_calls_without_ids_get_ids_of_ours() -> None:
    calls = [e for e in decoded(sse(*ANSWERS["calls without ids"])) if isinstance(e, ToolCalled)]
    assert calls == [
        ToolCalled(CallId("id-1"), "weather", {"city": "A"}, internal={"signature": "Zmlyc3Q="}),
        ToolCalled(CallId("id-2"), "weather", {"city": "A"}),
    ]


def test_two_calls_never_share_an_id() -> None:
    events = decoded(sse(chunk(call("a", {}, id="x"), call("b", {}, id="x"), finish="STOP")))
    assert [e.call_id for e in events if isinstance(e, ToolCalled)] == ["x", "id-1"]
    assert balanced(events) == []


def test_a_call_without_arguments_has_an_empty_object() -> None:
    events = decoded(sse(chunk(call("clock", id="x"), finish="STOP")))
    assert ToolInput(CallId("x"), "{}", "clock") in events
    assert ToolCalled(CallId("x"), "clock", {}, internal={"id": "x"}) in events


def test_arguments_that_are_no_object_stay_the_text_that_they_were() -> None:
    events = decoded(sse(chunk({"functionCall": {"name": "a", "args": [1], "id": "x"}}, finish="STOP")))
    assert ToolCalled(CallId("x"), "a", "[1]", internal={"id": "x"}) in events


def test_a_call_in_pieces_is_put_together() -> None:
    args = {"text": "Jupiter", "lines": [{"at": 3, "and so": True}], "size": 1.5, "none": None}
    events = decoded(sse(*ANSWERS["a call in pieces"]))
    assert ToolCalled(CallId("id-1"), "write", args, internal={"signature": "cGllY2U="}) in events


def test_a_call_that_was_cut_off_cannot_be_run() -> None:
    events = decoded(sse(*ANSWERS["a call in pieces"][:2], chunk(finish="MAX_TOKENS")))
    called = [e for e in events if isinstance(e, ToolCalled)]
    assert [each.args for each in called] == ['{"text":"Ju"']
    assert isinstance(events[-1], Finished)
    assert events[-1].stop is Stop.LENGTH


def test_a_call_after_pieces_ends_the_one_before() -> None:
    events = decoded(sse(*ANSWERS["a call in pieces"][:3], chunk(call("b", {}, id="x"), finish="STOP")))
    assert [e.tool for e in events if isinstance(e, ToolCalled)] == ["write", "b"]
    assert balanced(events) == []


def test_what_google_runs_itself_is_a_call_and_a_result() -> None:
    events = decoded(sse(*ANSWERS["a search of Google's own"]))
    search = {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}, "id": "s1"}
    answer = {"toolType": "GOOGLE_SEARCH_WEB", "response": {"hits": 2}, "id": "s1"}
    assert events[3:6] == [
        ToolInput(CallId("s1"), '{"queries":["x"]}', "web_search"),
        ToolCalled(
            CallId("s1"),
            "web_search",
            {"queries": ["x"]},
            provider_executed=True,
            internal={"part": {"toolCall": search, "thoughtSignature": "c2VhcmNo"}},
        ),
        ToolReturned(CallId("s1"), "web_search", {"hits": 2}, internal={"part": {"toolResponse": answer}}),
    ]


def test_results_of_code_belong_to_the_code_before_them() -> None:
    events = decoded(sse(*ANSWERS["code that Google ran"]))
    calls = [e.call_id for e in events if isinstance(e, ToolCalled)]
    results = [e for e in events if isinstance(e, ToolReturned)]
    assert calls == [result.call_id for result in results]
    assert [(r.result, r.is_error) for r in results] == [("1\n", False), ("ZeroDivisionError", True)]
    # Nobody waits for us to run anything.
    assert isinstance(events[-1], Finished)
    assert events[-1].stop is Stop.DONE


def test_a_picture_is_a_file() -> None:
    assert decoded(sse(*ANSWERS["a picture"]))[1:4] == [
        TextDelta("Here:", "t0"),
        BlockEnded("t0"),
        FileMade("image/png", b"\x89PNG\r"),
    ]


@proves("model-layer", 128)
def test_the_last_counts_are_the_right_ones_and_thoughts_are_output() -> None:
    growing = [
        chunk(text("a"), usage={"promptTokenCount": 90, "thoughtsTokenCount": 10}),
        chunk(
            text("b"), usage={"promptTokenCount": 120, "thoughtsTokenCount": 30, "candidatesTokenCount": 4}
        ),
        chunk(text("c"), finish="STOP", usage=LAST),
    ]
    events = decoded(sse(*growing))
    assert isinstance(events[-1], Finished)
    assert events[-1].usage == COUNTED


def test_counts_that_come_after_the_reason_still_count() -> None:
    events = decoded(sse(chunk(text("a"), finish="STOP"), {"usageMetadata": LAST}))
    assert isinstance(events[-1], Finished)
    assert events[-1].usage == COUNTED


def test_without_counts_there_is_no_usage() -> None:
    nothing_counted = {"candidates": [{"content": {"parts": [text("a")]}, "finishReason": "STOP"}]}
    events = decoded(sse(nothing_counted))
    assert events == [TextDelta("a", "t0"), BlockEnded("t0"), Finished(Stop.DONE)]


@proves("model-layer", 130)
@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("STOP", Stop.DONE),
        ("MAX_TOKENS", Stop.LENGTH),
        ("SAFETY", Stop.REFUSED),
        ("BLOCKLIST", Stop.REFUSED),
        ("PROHIBITED_CONTENT", Stop.REFUSED),
        ("SPII", Stop.REFUSED),
        ("IMAGE_SAFETY", Stop.REFUSED),
        ("IMAGE_PROHIBITED_CONTENT", Stop.REFUSED),
        ("RECITATION", Stop.REFUSED),
        ("IMAGE_RECITATION", Stop.REFUSED),
        ("OTHER", Stop.OTHER),
        ("NO_IMAGE", Stop.OTHER),
        ("FINISH_REASON_UNSPECIFIED", Stop.OTHER),
        ("SOMETHING_NEW", Stop.OTHER),
    ],
)
def test_each_reason_has_its_meaning(reason: str, stop: Stop) -> None:
    ending = chunk(finish=reason, finishMessage="Because.")
    refusal = Refusal(reason, "Because.") if stop is Stop.REFUSED else None
    finished = decoded(sse(chunk(text("a")), ending))[-1]
    assert isinstance(finished, Finished)
    assert (finished.stop, finished.refusal) == (stop, refusal)


@proves("model-layer", 130)
@pytest.mark.parametrize(
    ("reason", "retryable"),
    [
        ("MALFORMED_FUNCTION_CALL", True),
        ("UNEXPECTED_TOOL_CALL", True),
        ("MALFORMED_RESPONSE", True),
        ("LANGUAGE", False),
        ("TOO_MANY_TOOL_CALLS", False),
    ],
)
def test_some_reasons_are_failures(reason: str, retryable: bool) -> None:  # noqa: FBT001
    events = decoded(sse(chunk(text("a")), chunk(finish=reason), chunk(text("b"), finish="STOP")))
    assert comparable(events)[1:] == [
        TextDelta("a", "t0"),
        ("failed", "invalid_response", f"Gemini stopped with {reason}.", retryable),
    ]


@proves("model-layer", 130)
def test_a_blocked_prompt_is_a_refusal() -> None:
    assert decoded(sse(*ANSWERS["a blocked prompt"])) == [
        Started("resp-1", "m"),
        Finished(
            Stop.REFUSED,
            COUNTED,
            refusal=Refusal("PROHIBITED_CONTENT", "No."),
        ),
    ]


def test_a_prompt_that_is_blocked_in_the_midst_of_an_answer_is_a_refusal_too() -> None:
    blocked = chunk(finish="STOP") | {"promptFeedback": {"blockReason": "SAFETY"}}
    finished = decoded(sse(chunk(text("a")), blocked))[-1]
    assert isinstance(finished, Finished)
    assert (finished.stop, finished.refusal) == (Stop.REFUSED, Refusal("SAFETY"))


def test_a_signature_that_google_misses_is_about_what_was_sent_back() -> None:
    error = failure(decoded(sse(chunk(finish="MISSING_THOUGHT_SIGNATURE")))).error
    assert (error.fault, error.retryable) == ("replay_mismatch", False)


def test_a_sketch_is_a_thought_and_no_file() -> None:
    sketch = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0="}, "thought": True}
    events = decoded(sse(chunk(sketch), *ANSWERS["a picture"]))
    assert events == decoded(sse(*ANSWERS["a picture"]))


@proves("model-layer", 131)
def test_each_source_is_named_once() -> None:
    events = decoded(sse(*ANSWERS["grounded text"]))
    assert [e for e in events if isinstance(e, SourceFound)] == [
        SourceFound("id-1", "https://a", "A"),
        SourceFound("id-2", "https://b"),
        SourceFound("id-3", "https://c", "C"),
    ]
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.usage is not None
    assert finished.usage.web_searches == 2
    assert finished.internal["grounding"]["webSearchQueries"] == ["rain", "wind"]


def test_other_candidates_are_not_heard() -> None:
    two = chunk(text("a"), finish="STOP")
    two["candidates"].insert(0, {"index": 1, "content": {"parts": [text("b")]}, "finishReason": "SAFETY"})
    assert [e for e in decoded(sse(two)) if isinstance(e, TextDelta)] == [TextDelta("a", "t0")]


def test_an_error_in_the_stream_ends_it() -> None:
    error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    events = decoded(sse(chunk(text("a")), error, chunk(text("b"), finish="STOP")))
    assert events[:-1] == [STARTED, TextDelta("a", "t0")]
    assert failure(events).error.status_code == 503


def test_nothing_follows_the_end() -> None:
    decoder = GEMINI.decoder(TARGET, numbered())
    out = told(decoder, SseFrames().feed(sse(*ANSWERS["text"])))
    before = list(out)
    decoder.feed(b"", codec.encode(chunk(thought("more"))), out)
    decoder.close(out)
    assert out == before
