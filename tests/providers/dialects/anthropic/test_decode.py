"""What each kind of frame means."""

import json
from typing import Any

import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.providers.dialects.anthropic.decode import MessageDecoder
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
from chatd.providers.transport.aws_frames import InvokeFrames
from tests.providers.dialects.anthropic.aws import aws_message
from tests.providers.dialects.anthropic.streams import (
    CITATION,
    ENCRYPTED,
    SEARCH_RESULT,
    STREAMS,
    Wire,
    call,
    cited,
    delta,
    end,
    frame,
    message_start,
    new_ids,
    read,
    read_in,
    redacted,
    search,
    start,
    stop,
    text,
    thinking,
)
from tests.traceability import proves

READ = CallId("toolu_01")
LIST = CallId("toolu_02")
SEARCH = CallId("srvtoolu_01")


def finish(events: list[StreamEvent]) -> Finished:
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1]


def said(*blocks: list[Wire], reason: str = "end_turn") -> list[StreamEvent]:
    """What these blocks tell, without the frame around them."""
    return read([message_start(), *(event for block in blocks for event in block), *end(reason)])[1:-1]


@proves("model-layer", 55)
def test_text_is_told_as_it_comes_with_the_id_and_the_counts() -> None:
    usage = {"input_tokens": 7, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100}
    usage_end = {
        "output_tokens": 9,
        "cache_creation": {"ephemeral_1h_input_tokens": 12, "ephemeral_5m_input_tokens": 8},
    }

    events = read(
        [message_start(**usage, output_tokens=1), *text(0, "Hel", "lo"), *end("end_turn", **usage_end)]
    )

    assert events == [
        Started("msg_01", "claude-opus-4-8-20260901"),
        TextDelta("Hel", "0"),
        TextDelta("lo", "0"),
        BlockEnded("0"),
        Finished(
            Stop.DONE,
            Usage(
                input_tokens=7,
                cache_read_tokens=100,
                cache_creation_tokens=20,
                cache_creation_1h_tokens=12,
                output_tokens=9,
                total_tokens=136,
            ),
        ),
    ]


def test_later_counts_replace_earlier_ones_only_where_they_are_given() -> None:
    events = read(
        [message_start(input_tokens=7, output_tokens=1), *end("end_turn", input_tokens=None, output_tokens=3)]
    )

    assert finish(events).usage == Usage(input_tokens=7, output_tokens=3, total_tokens=10)


@pytest.mark.parametrize("usage", [None, {}, "many", {"output_tokens": "many"}])
def test_counts_that_are_missing_or_unreadable_break_nothing(usage: object) -> None:
    begun = message_start()
    begun["message"]["usage"] = usage
    why, last = end()
    why["usage"] = usage

    assert finish(read([begun, why, last])).usage is None


def test_thinking_is_counted_within_the_output() -> None:
    usage = finish(read(STREAMS["thinking"])).usage

    assert usage is not None
    assert (usage.output_tokens, usage.reasoning_tokens, usage.total_tokens) == (40, 20, 65)


@proves("model-layer", 56)
def test_a_signature_stays_with_its_thoughts() -> None:
    block = [
        start(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="First. "),
        delta(0, "signature_delta", signature="c2ln"),
        delta(0, "thinking_delta", thinking="Second."),
        stop(0),
    ]

    assert said(block) == [
        ReasoningDelta("First. ", "0"),
        ReasoningDelta("", "0", {"signature": "c2ln"}),
        ReasoningDelta("Second.", "0"),
        BlockEnded("0", {"signature": "c2ln"}),
    ]


@proves("model-layer", 56)
def test_thoughts_that_are_not_shown_keep_their_signature() -> None:
    assert said(thinking(0, signature="c2ln")) == [
        ReasoningDelta("", "0", {"signature": "c2ln"}),
        BlockEnded("0", {"signature": "c2ln"}),
    ]


def test_a_second_signature_replaces_the_first() -> None:
    block = thinking(0, "Hm.", signature="old")
    block.insert(-1, delta(0, "signature_delta", signature="new"))

    assert said(block)[-1] == BlockEnded("0", {"signature": "new"})


def test_thoughts_without_a_signature_end_without_one() -> None:
    block = [start(0, type="thinking", thinking="Hm."), stop(0)]

    assert said(block) == [ReasoningDelta("Hm.", "0"), BlockEnded("0")]


@proves("model-layer", 57)
def test_redacted_thoughts_stay_in_their_order_with_their_data() -> None:
    assert said(redacted(0, "bGVmdA=="), thinking(1, "Hm.", signature="c2ln"), redacted(2, "cmlnaHQ=")) == [
        ReasoningDelta("", "0", {"redacted_data": "bGVmdA=="}),
        BlockEnded("0", {"redacted_data": "bGVmdA=="}),
        ReasoningDelta("Hm.", "1"),
        ReasoningDelta("", "1", {"signature": "c2ln"}),
        BlockEnded("1", {"signature": "c2ln"}),
        ReasoningDelta("", "2", {"redacted_data": "cmlnaHQ="}),
        BlockEnded("2", {"redacted_data": "cmlnaHQ="}),
    ]


@proves("model-layer", 58)
def test_calls_come_in_pieces_and_then_whole() -> None:
    events = said(
        call(0, READ, "read_file", "", '{"pa', 'th": "a.txt"}'),
        call(1, LIST, "list_files"),
        reason="tool_use",
    )

    assert events == [
        ToolInput(READ, "", "read_file"),
        ToolInput(READ, '{"pa', "read_file"),
        ToolInput(READ, 'th": "a.txt"}', "read_file"),
        ToolCalled(READ, "read_file", {"path": "a.txt"}),
        ToolInput(LIST, "", "list_files"),
        ToolCalled(LIST, "list_files", {}),
    ]


def test_calls_whose_pieces_alternate_stay_apart() -> None:
    first, second = call(0, READ, "a", '{"n"', ": 1}"), call(1, LIST, "b", '{"n"', ": 2}")
    woven = [event for pair in zip(first, second, strict=True) for event in pair]

    calls = [event for event in said(woven, reason="tool_use") if isinstance(event, ToolCalled)]
    assert calls == [ToolCalled(READ, "a", {"n": 1}), ToolCalled(LIST, "b", {"n": 2})]


def test_a_call_that_comes_whole_is_told_as_one_piece() -> None:
    block = [start(0, type="tool_use", id=READ, name="read_file", input={"path": "a"}), stop(0)]

    assert said(block, reason="tool_use") == [
        ToolInput(READ, "", "read_file"),
        ToolInput(READ, '{"path":"a"}', "read_file"),
        ToolCalled(READ, "read_file", {"path": "a"}),
    ]


def test_pieces_count_more_than_what_a_call_began_with() -> None:
    block = [
        start(0, type="tool_use", id=READ, name="read_file", input={"path": "a"}),
        delta(0, "input_json_delta", partial_json='{"path": "b"}'),
        stop(0),
    ]

    assert said(block, reason="tool_use")[-1] == ToolCalled(READ, "read_file", {"path": "b"})


@pytest.mark.parametrize(
    "written", ["[1]", "3", '{"a": 1', '{"a": 1, "a": 2}', '{"a": NaN}', "null", "{} {}"]
)
def test_arguments_that_are_no_proper_object_stay_as_they_were_written(written: str) -> None:
    assert said(call(0, READ, "read_file", written))[-1] == ToolCalled(READ, "read_file", written)


def test_calls_without_an_id_or_with_one_that_is_taken_get_their_own() -> None:
    blocks = [call(0, "", "a", "{}"), call(1, READ, "b", "{}"), call(2, READ, "c", "{}")]

    assert [event.call_id for event in said(*blocks) if isinstance(event, ToolCalled)] == [
        "new-1",
        READ,
        "new-2",
    ]


@proves("model-layer", 59)
def test_a_search_is_told_with_its_sources_and_what_has_to_go_back() -> None:
    assert said(search(0), cited(2)) == [
        ToolInput(SEARCH, "", "web_search"),
        ToolInput(SEARCH, '{"que', "web_search"),
        ToolInput(SEARCH, 'ry": "moons of Jupiter"}', "web_search"),
        ToolCalled(SEARCH, "web_search", {"query": "moons of Jupiter"}, provider_executed=True),
        SourceFound("new-1", "https://example.org/io", "Io"),
        SourceFound("new-2", "https://example.org/moons", "Moons"),
        ToolReturned(
            SEARCH,
            "web_search",
            [
                {
                    "type": "web_search_result",
                    "title": "Io",
                    "url": "https://example.org/io",
                    "page_age": "April 30, 2026",
                },
                {
                    "type": "web_search_result",
                    "title": "Moons",
                    "url": "https://example.org/moons",
                    "page_age": None,
                },
            ],
            internal={"type": "web_search_tool_result", "content": SEARCH_RESULT["content"]},
        ),
        TextDelta("Io is the innermost moon.", "2"),
        BlockEnded("2", {"citations": [CITATION]}),
    ]


def test_what_people_see_of_a_search_holds_no_ciphers() -> None:
    public = [
        event.result if isinstance(event, ToolReturned) else event
        for event in said(search(0), cited(2))
        if not isinstance(event, BlockEnded)
    ]

    assert ENCRYPTED not in repr(public)
    assert CITATION["encrypted_index"] not in repr(public)


def test_a_citation_tells_of_a_source_that_no_search_found() -> None:
    assert SourceFound("new-1", "https://example.org/io", "Io") in said(cited(0))


@proves("model-layer", 61)
def test_a_search_that_fails_tells_its_error() -> None:
    content = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    failed = [
        *call(0, SEARCH, "web_search", '{"query": "x"}', kind="server_tool_use"),
        start(1, type="web_search_tool_result", tool_use_id=SEARCH, content=content),
        stop(1),
    ]

    assert said(failed)[-1] == ToolReturned(
        SEARCH,
        "web_search",
        "max_uses_exceeded",
        is_error=True,
        internal={"type": "web_search_tool_result", "content": content},
    )


def test_any_tool_of_the_provider_returns_something() -> None:
    content = {"type": "web_fetch_result", "url": "https://example.org", "content": {"type": "document"}}
    fetched = [start(0, type="web_fetch_tool_result", tool_use_id="srvtoolu_9", content=content), stop(0)]

    assert said(fetched) == [
        ToolReturned(
            CallId("srvtoolu_9"),
            "web_fetch",
            content,
            internal={"type": "web_fetch_tool_result", "content": content},
        )
    ]


def test_who_called_a_tool_of_the_provider_is_kept() -> None:
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_0"}
    block = [
        start(0, type="server_tool_use", id=SEARCH, name="web_search", input={"query": "x"}, caller=caller),
        stop(0),
    ]

    assert said(block)[-1] == ToolCalled(
        SEARCH, "web_search", {"query": "x"}, provider_executed=True, internal={"caller": caller}
    )


@proves("model-layer", 66)
@pytest.mark.parametrize(
    "ending",
    [[end(None)[1]], end(None), [end()[0]], []],
    ids=["only that it stopped", "no reason", "only the reason", "neither"],
)
def test_an_answer_ends_with_a_reason_and_the_word_that_it_is_whole(ending: list[Wire]) -> None:
    events = read([message_start(), *text(0, "Hello"), *ending])

    assert isinstance(events[-1], Failed)
    assert (events[-1].error.fault, events[-1].error.retryable) == ("incomplete_stream", True)
    assert not any(isinstance(event, Finished) for event in events)


@proves("model-layer", 67)
@pytest.mark.parametrize(
    ("kind", "retryable"),
    [
        ("overloaded_error", True),
        ("rate_limit_error", True),
        ("api_error", True),
        ("invalid_request_error", False),
    ],
)
def test_an_error_in_the_stream_says_whether_to_try_again(kind: str, retryable: bool) -> None:  # noqa: FBT001 - a column
    error = {"type": "error", "error": {"type": kind, "message": "Something is wrong."}}

    events = read([message_start(), *text(0, "Hel")[:2], error, *end()])

    assert isinstance(events[-1], Failed)
    failed = events[-1].error
    assert failed.retryable is retryable
    assert "Something is wrong." in f"{failed.message} {failed.detail}"
    assert [type(event) for event in events] == [Started, TextDelta, Failed]


@proves("model-layer", 68)
@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        ("end_turn", Stop.DONE),
        ("stop_sequence", Stop.DONE),
        ("max_tokens", Stop.LENGTH),
        ("model_context_window_exceeded", Stop.LENGTH),
        ("tool_use", Stop.TOOLS),
        ("pause_turn", Stop.PAUSED),
        ("refusal", Stop.REFUSED),
        ("guardrail_intervened", Stop.REFUSED),
        ("solar_flare", Stop.OTHER),
    ],
)
def test_why_a_model_stopped(reason: str, meaning: Stop) -> None:
    finished = finish(read([message_start(), *text(0, "Hello"), *end(reason)]))

    assert finished.stop is meaning


@proves("model-layer", 69)
def test_a_refusal_says_why() -> None:
    why, last = end("refusal")
    why["delta"]["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "Not this."}

    assert finish(read([message_start(), why, last])).refusal == Refusal("cyber", "Not this.")
    assert finish(read(STREAMS["text"])).refusal is None


@proves("model-layer", 70)
@pytest.mark.parametrize("written", ['{"path": "a', ""])
def test_a_call_that_was_cut_off_is_never_a_valid_one(written: str) -> None:
    events = read([message_start(), *call(0, READ, "read_file", written), *end("max_tokens")])

    assert [event for event in events if isinstance(event, ToolCalled)] == [
        ToolCalled(READ, "read_file", written)
    ]
    assert finish(events).stop is Stop.LENGTH


def test_only_the_last_call_can_have_been_cut_off() -> None:
    events = read([message_start(), *call(0, READ, "now"), *text(1, "And th"), *end("max_tokens")])

    assert ToolCalled(READ, "now", {}) in events


def test_blocks_that_were_not_ended_end_with_the_answer() -> None:
    blocks = [*text(0, "Look.")[:-1], *call(1, READ, "read_file", '{"path": "a"}')[:-1]]

    assert said(blocks, reason="tool_use")[-2:] == [
        BlockEnded("0"),
        ToolCalled(READ, "read_file", {"path": "a"}),
    ]


def test_thoughts_end_before_anything_else_begins() -> None:
    events = said(thinking(0, "Hm.", signature="c2ln")[:-1], text(1, "So."))

    assert events.index(BlockEnded("0", {"signature": "c2ln"})) < events.index(TextDelta("So.", "1"))


def test_a_gateway_that_counts_every_block_as_the_first_causes_no_confusion() -> None:
    events = said(text(0, "One."), text(0, "Two."))

    assert events == [
        TextDelta("One.", "0"),
        BlockEnded("0"),
        TextDelta("Two.", "new-1"),
        BlockEnded("new-1"),
    ]


def test_text_that_comes_with_the_beginning_of_its_block_is_told() -> None:
    assert said([start(0, type="text", text="Hello"), stop(0)]) == [TextDelta("Hello", "0"), BlockEnded("0")]


def test_a_character_that_is_cut_in_two_is_kept() -> None:
    halves = [event.text for event in said(text(0, "\ud83d", "\ude00")) if isinstance(event, TextDelta)]

    assert json.loads(json.dumps("".join(halves))) == "\N{GRINNING FACE}"


@proves("model-layer", 71)
def test_what_is_billed_is_cumulative_and_the_window_is_not() -> None:
    iterations = [
        {"type": "message", "input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 0},
        {"type": "compaction", "input_tokens": 999, "output_tokens": 99},
        {"type": "message", "input_tokens": 30, "output_tokens": 40, "cache_read_input_tokens": 300},
    ]
    totals = {"input_tokens": 130, "cache_read_input_tokens": 300, "output_tokens": 60}
    began = message_start(input_tokens=100, output_tokens=1)
    searches = {"server_tool_use": {"web_search_requests": 2}}

    told = _told([began, *search(0), *end("end_turn", **totals, **searches, iterations=iterations)])
    assert told == Usage(
        input_tokens=130,
        cache_read_tokens=300,
        output_tokens=60,
        total_tokens=490,
        web_searches=2,
        context_tokens=370,
    )
    assert told.prompt_tokens == 370 - 60

    told = _told([began, *search(0), *end("end_turn", **totals, **searches)])
    assert told.context_tokens == 160

    told = _told([began, *text(0, "Hello"), *end("end_turn", **totals)])
    assert (told.context_tokens, told.prompt_tokens + told.output_tokens) == (0, 490)


def _told(events: list[Wire]) -> Usage:
    reader = MessageDecoder(new_ids())
    out: list[StreamEvent] = []
    for event in events:
        reader.feed(event["type"].encode(), json.dumps(event).encode(), out)
    usage = finish(out).usage
    assert usage is not None
    return usage


@proves("model-layer", 72)
@pytest.mark.parametrize("name", STREAMS)
def test_padding_and_missing_names_change_nothing(name: str) -> None:
    events = read(STREAMS[name])

    assert read_in([frame(event, padding=" " * 40) for event in STREAMS[name]]) == events
    assert read_in([frame(event, name=False) for event in STREAMS[name]]) == events
    assert read_in([*(frame(event, name=False) for event in STREAMS[name]), b"data: [DONE]\n\n"]) == events


def test_an_end_that_another_dialect_means_is_none() -> None:
    events = read_in([*(frame(event) for event in STREAMS["text"][:-1]), b"data: [DONE]\n\n"])

    assert isinstance(events[-1], Failed)
    assert events[-1].error.fault == "incomplete_stream"


@proves("model-layer", 73)
@pytest.mark.parametrize("name", STREAMS)
def test_bedrock_wraps_the_same_answer(name: str) -> None:
    whole = b"".join(aws_message(event) for event in STREAMS[name])

    assert _read_bedrock([whole]) == read(STREAMS[name])
    assert _read_bedrock([whole[at : at + 1] for at in range(len(whole))]) == read(STREAMS[name])


@proves("model-layer", 73)
def test_an_exception_of_bedrock_is_an_error() -> None:
    begun = [aws_message(event) for event in STREAMS["text"][:4]]

    events = _read_bedrock([*begun, aws_message({"message": "Slow down."}, exception="throttlingException")])

    assert isinstance(events[-1], Failed)
    assert "Slow down." in f"{events[-1].error.message} {events[-1].error.detail}"


def _read_bedrock(portions: list[bytes]) -> list[StreamEvent]:
    frames, reader = InvokeFrames(), MessageDecoder(new_ids())
    out: list[StreamEvent] = []
    for portion in portions:
        for name, data in frames.feed(portion):
            reader.feed(name, data, out)
    reader.close(out)
    return out


def test_the_pause_is_remembered_with_the_reply() -> None:
    internal: Any = finish(read(STREAMS["paused"])).internal

    assert internal == {"paused": True}


def test_whatever_a_block_begins_with_counts() -> None:
    cites = [start(0, type="text", text="Io.", citations=[CITATION, "?"]), stop(0)]
    thinks = [start(1, type="thinking", thinking="Hm.", signature="c2ln"), stop(1)]

    assert said(cites, thinks) == [
        SourceFound("new-1", "https://example.org/io", "Io"),
        TextDelta("Io.", "0"),
        BlockEnded("0", {"citations": [CITATION]}),
        ReasoningDelta("Hm.", "1"),
        ReasoningDelta("", "1", {"signature": "c2ln"}),
        BlockEnded("1", {"signature": "c2ln"}),
    ]


@pytest.mark.parametrize(
    "block",
    [
        text(0, "Io."),
        thinking(0, "Hm.", signature="c2ln"),
        call(0, READ, "read_file", "{}"),
        [start(0, **SEARCH_RESULT), stop(0)],
    ],
    ids=["text", "thoughts", "a call", "a result"],
)
def test_a_block_does_not_grow_by_what_belongs_to_another_kind(block: list[Wire]) -> None:
    strangers = [
        delta(0, kind, **fields)
        for kind, fields in {
            "text_delta": {"text": "?"},
            "thinking_delta": {"thinking": "?"},
            "input_json_delta": {"partial_json": "?"},
            "citations_delta": {"citation": "?"},
        }.items()
        if not any(event.get("delta", {}).get("type") == kind for event in block)
    ]

    assert said([block[0], *strangers, *block[1:]]) == said(block)


def test_a_call_of_the_provider_with_broken_arguments_is_marked_so_that_it_is_not_repeated() -> None:
    block = call(0, SEARCH, "web_search", '{"query"', kind="server_tool_use")

    assert said(block)[-1] == ToolCalled(
        SEARCH, "web_search", '{"query"', provider_executed=True, internal={"broken": True}
    )


def test_an_unknown_block_ends_no_thoughts() -> None:
    opened, *thoughts, closed = thinking(0, "Let me ", "see.", signature="c2ln")
    odd = [start(9, type="brand_new"), delta(9, "brand_new_delta"), stop(9)]
    answer = [message_start(), opened, *thoughts, closed, *text(1, "Four."), *end()]
    disturbed = [message_start(), opened, *odd, *thoughts, *odd, closed, *text(1, "Four."), *end()]

    assert read(disturbed) == read(answer)
