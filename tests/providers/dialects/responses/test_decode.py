"""Frames become events: what is particular to Responses."""

import base64
import json
from typing import Any

import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
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
from tests.providers.dialects.responses.answers import ANSWERS, COMPUTER_CALL, REFUSED
from tests.providers.dialects.responses.wire import (
    Event,
    added,
    argument_delta,
    call,
    call_item,
    citation,
    completed,
    created,
    decode,
    decoder,
    done,
    heard,
    incomplete,
    message,
    message_item,
    reasoning,
    reasoning_item,
    search,
    search_item,
    text_delta,
)
from tests.traceability import proves

COUNTED = Usage(
    input_tokens=30,
    cache_read_tokens=60,
    cache_creation_tokens=10,
    output_tokens=40,
    reasoning_tokens=25,
    total_tokens=140,
)


def finish(events: list[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def calls(events: list[StreamEvent]) -> list[ToolCalled]:
    return [event for event in events if isinstance(event, ToolCalled)]


def streamed(events: list[StreamEvent], call_id: str) -> str:
    return "".join(e.json for e in events if isinstance(e, ToolInput) and e.call_id == call_id)


def test_text_comes_as_it_is_said() -> None:
    assert heard(created(), *message(0, "msg_1", "Hel", "lo"), completed()) == [
        Started("resp_1", "gpt-5.6-2026-09-01"),
        TextDelta("Hel", "msg_1"),
        TextDelta("lo", "msg_1"),
        BlockEnded("msg_1", {"id": "msg_1"}),
        Finished(
            Stop.DONE,
            COUNTED,
            internal={"response_id": "resp_1", "stored": False},
        ),
    ]


def test_the_phase_of_a_message_is_kept_for_its_way_back() -> None:
    out = heard(created(), *message(0, "msg_1", "Hm.", phase="commentary"), completed())
    assert BlockEnded("msg_1", {"id": "msg_1", "phase": "commentary"}) in out


def test_a_stored_answer_says_so() -> None:
    out = heard(created(), *message(0, "msg_1", "Hi"), completed(), store=True)
    assert finish(out).internal == {"response_id": "resp_1", "stored": True}


@proves("model-layer", 78)
def test_encrypted_reasoning_is_kept_as_it_was_when_done() -> None:
    out = heard(created(), *reasoning(0, "rs_1", "Hm."), completed())
    ended = next(event for event in out if isinstance(event, BlockEnded))
    assert ended.internal == {
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "encrypted_content": "gAAA-final",
    }
    assert "gAAA-provisional" not in repr(out)


@pytest.mark.parametrize(
    ("summaries", "text"),
    [((), ""), (("One.",), "One."), (("One.", "Two.", "Three."), "One.\n\nTwo.\n\nThree.")],
)
@proves("model-layer", 79)
def test_parts_of_a_summary_are_set_apart_and_kept_as_a_list(summaries: tuple[str, ...], text: str) -> None:
    out = heard(created(), *reasoning(0, "rs_1", *summaries), completed())
    deltas = [event for event in out if isinstance(event, ReasoningDelta)]
    assert "".join(event.text for event in deltas) == text
    assert {event.block for event in deltas} == {"rs_1"}
    ended = [event for event in out if isinstance(event, BlockEnded)]
    assert ended == [BlockEnded("rs_1", ended[0].internal)]
    assert ended[0].internal["summary"] == [{"type": "summary_text", "text": each} for each in summaries]
    if not summaries:
        assert deltas[0].internal == ended[0].internal


def test_thoughts_themselves_are_told_and_kept_apart_from_their_summary() -> None:
    item = {**reasoning_item("rs_1", "Sum."), "content": [{"type": "reasoning_text", "text": "Raw."}]}
    spot = {"output_index": 0, "item_id": "rs_1"}
    out = heard(
        created(),
        added(0, item),
        {"type": "response.reasoning_text.delta", **spot, "content_index": 0, "delta": "Raw."},
        {"type": "response.reasoning_summary_text.delta", **spot, "summary_index": 0, "delta": "Sum."},
        done(0, item),
        completed(),
    )
    assert "".join(e.text for e in out if isinstance(e, ReasoningDelta)) == "Raw.\n\nSum."
    ended = next(event for event in out if isinstance(event, BlockEnded))
    assert ended.internal["content"] == item["content"]
    assert ended.internal["summary"] == item["summary"]


@proves("model-layer", 82)
def test_calls_whose_arguments_are_interleaved_are_each_exact() -> None:
    out = heard(*ANSWERS["two calls, interleaved"])
    assert [(c.call_id, c.tool, c.args) for c in calls(out)] == [
        ("call_1", "read_file", {"path": "a"}),
        ("call_2", "list_files", {"folder": "src"}),
    ]
    assert streamed(out, "call_1") == '{"path":"a"}'
    assert streamed(out, "call_2") == '{"folder":"src"}'
    assert finish(out).stop is Stop.TOOLS


def test_arguments_find_their_call_by_the_id_of_its_item_too() -> None:
    events = [
        created(),
        added(0, call_item("fc_1", "call_1", "look", "", "in_progress")),
        {**argument_delta(0, "fc_1", '{"a":1}'), "output_index": 9},
        done(0, call_item("fc_1", "call_1", "look", '{"a":1}')),
        completed(),
    ]
    assert streamed(heard(*events), "call_1") == '{"a":1}'


@pytest.mark.parametrize(
    ("pieces", "final", "deltas"),
    [
        (['{"a"'], '{"a":1}', '{"a":1}'),
        (['{"b"'], '{"a":1}', '{"b"'),
        ([], '{"a":1}', '{"a":1}'),
    ],
    ids=["shorter", "different", "missing"],
)
@proves("model-layer", 83)
def test_the_final_arguments_count(pieces: list[str], final: str, deltas: str) -> None:
    out = heard(
        created(),
        added(0, call_item("fc_1", "call_1", "look", "", "in_progress")),
        *(argument_delta(0, "fc_1", piece) for piece in pieces),
        done(0, call_item("fc_1", "call_1", "look", final)),
        completed(),
    )
    assert calls(out)[0].args == {"a": 1}
    assert streamed(out, "call_1") == deltas


@pytest.mark.parametrize(
    ("written", "args"),
    [
        ("", {}),
        ("  ", {}),
        ("[1]", "[1]"),
        ('{"a":', '{"a":'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        ('{"a":NaN}', '{"a":NaN}'),
        ('{"a":"\\ud83d"}', {"a": "\ud83d"}),
    ],
)
def test_arguments_that_are_no_object_are_kept_as_the_model_wrote_them(written: str, args: Any) -> None:
    out = heard(created(), *call(0, "fc_1", "call_1", "look", written), completed())
    assert calls(out)[0].args == args


def test_what_a_custom_tool_is_given_becomes_its_input() -> None:
    item = {"id": "ct_1", "type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}
    spot = {"output_index": 0, "item_id": "ct_1"}
    out = heard(
        created(),
        added(0, {**item, "input": ""}),
        {"type": "response.custom_tool_call_input.delta", **spot, "delta": "SELECT 1"},
        {"type": "response.custom_tool_call_input.done", **spot, "input": "SELECT 1"},
        done(0, item),
        completed(),
    )
    assert calls(out) == [ToolCalled(CallId("call_1"), "sql", {"input": "SELECT 1"})]
    assert finish(out).stop is Stop.TOOLS


@proves("model-layer", 84)
def test_a_search_of_the_provider_is_its_own_affair() -> None:
    out = heard(*ANSWERS["thoughts, a search, thoughts, cited text"])
    item = search_item("ws_1")
    own = [event for event in out if isinstance(event, ToolCalled | ToolReturned)]
    assert own == [
        ToolCalled(
            own[0].call_id,
            "web_search",
            item["action"],
            provider_executed=True,
            internal={"id": "ws_1", "after": "rs_1", "item": item},
        ),
        ToolReturned(own[0].call_id, "web_search", {"status": "completed"}, internal={"id": "ws_1"}),
    ]
    assert own[0].call_id == "ws_1"
    sources = [event for event in out if isinstance(event, SourceFound)]
    assert [(s.url, s.title) for s in sources] == [
        ("https://a.example", "Tides"),
        ("https://b.example", "Tides"),
    ]
    assert len({source.source_id for source in sources}) == 2
    assert finish(out).stop is Stop.DONE
    usage = finish(out).usage
    assert usage is not None
    assert usage.web_searches == 1


def test_a_search_that_failed_is_an_error_and_opening_a_page_is_no_search() -> None:
    opened = {
        **search_item("ws_2", status="failed"),
        "action": {"type": "open_page", "url": "https://a.example"},
    }
    out = heard(created(), *search(0, "ws_1"), done(1, opened), completed())
    assert [event.is_error for event in out if isinstance(event, ToolReturned)] == [False, True]
    usage = finish(out).usage
    assert usage is not None
    assert usage.web_searches == 1


def test_a_source_that_is_cited_often_is_found_once() -> None:
    twice = [citation("https://a.example"), citation("https://a.example")]
    out = heard(created(), *message(0, "msg_1", "Tides.", annotations=twice), completed())
    assert sum(isinstance(event, SourceFound) for event in out) == 1


@pytest.mark.parametrize(
    ("annotation", "title"),
    [
        ({"type": "file_citation", "file_id": "file_1", "filename": "tides.pdf", "index": 0}, "tides.pdf"),
        ({"type": "file_citation", "file_id": "file_1", "index": 0}, "file_1"),
        ({"type": "container_file_citation", "file_id": "file_1", "container_id": "c"}, "file_1"),
        ({"type": "file_path", "index": 0}, "Document"),
    ],
)
@proves("model-layer", 85)
def test_a_file_that_is_cited_has_a_title_in_any_case(annotation: Event, title: str) -> None:
    out = heard(created(), *message(0, "msg_1", "See.", annotations=[annotation]), completed())
    assert [(s.url, s.title) for s in out if isinstance(s, SourceFound)] == [("", title)]


@proves("model-layer", 86)
def test_a_refusal_is_text_that_says_why_the_model_stopped() -> None:
    out = heard(*REFUSED)
    assert out[1:4] == [
        TextDelta("I cannot ", "msg_1"),
        TextDelta("help.", "msg_1"),
        BlockEnded("msg_1", {"id": "msg_1", "refusal": True}),
    ]
    assert finish(out).stop is Stop.REFUSED
    assert finish(out).refusal == Refusal("refusal", "I cannot help.")


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_output_tokens", Stop.LENGTH),
        ("max_tokens", Stop.LENGTH),
        ("content_filter", Stop.REFUSED),
        ("boredom", Stop.OTHER),
        (None, Stop.OTHER),
    ],
)
@proves("model-layer", 87)
def test_an_incomplete_answer_says_why(reason: str | None, stop: Stop) -> None:
    end = finish(heard(created(), *message(0, "msg_1", "Once"), incomplete(reason)))
    assert end.stop is stop
    assert end.usage == COUNTED
    assert end.internal["response_id"] == "resp_1"


@pytest.mark.parametrize("text", ['{"text":"once', ""])
@pytest.mark.parametrize("told", [True, False], ids=["item done", "item never done"])
def test_a_call_that_was_cut_off_can_not_be_run(text: str, *, told: bool) -> None:
    item = call_item("fc_1", "call_1", "write_file", text, "incomplete")
    out = heard(
        created(),
        added(0, {**item, "arguments": ""}),
        argument_delta(0, "fc_1", text),
        *([done(0, item)] if told else []),
        incomplete("max_output_tokens"),
    )
    args = calls(out)[0].args
    assert args == (text or "{")
    with pytest.raises(json.JSONDecodeError):
        json.loads(args)
    assert finish(out).stop is Stop.LENGTH


@pytest.mark.parametrize(
    "event",
    [
        {
            "type": "response.failed",
            "response": {"id": "resp_1", "error": {"code": "X", "message": "Broken."}},
        },
        {"type": "error", "code": "X", "message": "Broken.", "param": None},
        {"type": "error", "error": {"type": "some_error", "code": "X", "message": "Broken."}},
    ],
)
@pytest.mark.parametrize(
    ("code", "retryable"), [("server_error", True), ("rate_limit_exceeded", True), ("invalid_prompt", False)]
)
@proves("model-layer", 88)
def test_a_failure_in_the_stream_ends_it_with_its_code(event: Event, code: str, *, retryable: bool) -> None:
    coded = json.loads(json.dumps(event).replace('"X"', f'"{code}"'))
    out = heard(created(), *message(0, "msg_1", "Once"), coded, completed())
    assert isinstance(out[-1], Failed)
    assert sum(isinstance(each, Failed | Finished) for each in out) == 1
    assert out[-1].error.message
    assert out[-1].error.retryable is retryable


def test_an_error_without_a_name_is_an_error() -> None:
    out = decode([b'data: {"error":{"code":429,"message":"Slow down."}}\n\n'])
    assert len(out) == 1
    assert isinstance(out[0], Failed)
    assert out[0].error.fault != "incomplete_stream"


@proves("model-layer", 89)
def test_an_answer_that_only_stops_has_broken_off() -> None:
    out = heard(created(), *message(0, "msg_1", "Once"))
    assert isinstance(out[-1], Failed)
    assert (out[-1].error.fault, out[-1].error.retryable) == ("incomplete_stream", True)


@proves("model-layer", 90)
def test_items_that_are_only_in_the_list_at_the_end_are_told() -> None:
    items = [
        reasoning_item("rs_1", "Hm."),
        call_item("fc_1", "call_1", "look", '{"a":1}'),
        message_item("msg_1", "Hi", [citation("https://a.example")]),
    ]
    out = heard(created(), completed(*items))
    whole = heard(
        created(),
        done(0, items[0]),
        done(1, items[1]),
        done(2, items[2]),
        completed(*items),
    )
    assert out == whole
    assert [type(event) for event in out] == [
        Started,
        ReasoningDelta,
        BlockEnded,
        ToolInput,
        ToolCalled,
        TextDelta,
        SourceFound,
        BlockEnded,
        Finished,
    ]


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_a_list_at_the_end_repeats_nothing(answer: list[Event]) -> None:
    items = [event["item"] for event in answer if event["type"] == "response.output_item.done"]
    end = {**answer[-1], "response": {**answer[-1]["response"], "output": items}}
    assert heard(*answer[:-1], end) == heard(*answer)
    # Other ids at the end, or none: the place in the list tells what was said before.
    renamed = [{**item, "id": f"other_{number}"} for number, item in enumerate(items)]
    end = {**answer[-1], "response": {**answer[-1]["response"], "output": renamed}}
    assert heard(*answer[:-1], end) == heard(*answer)


def test_text_of_a_server_that_announces_nothing_is_told_once() -> None:
    item = message_item("msg_1", "Hello")
    out = heard(text_delta(0, "msg_1", "Hel"), text_delta(0, "msg_1", "lo"), completed(item))
    assert [type(event) for event in out] == [TextDelta, TextDelta, Started, BlockEnded, Finished]
    spot = [{k: v for k, v in text_delta(0, "msg_1", "Hello").items() if k != "output_index"}]
    assert [e for e in heard(*spot, completed(item)) if isinstance(e, TextDelta)] == [
        TextDelta("Hello", "msg_1")
    ]


def test_parts_of_one_message_are_blocks_of_their_own() -> None:
    out = heard(*ANSWERS["two parts in one message"])
    assert out[1:-1] == [
        TextDelta("One.", "msg_1"),
        TextDelta("Two.", "msg_1:1"),
        BlockEnded("msg_1", {"id": "msg_1"}),
        BlockEnded("msg_1:1", {"id": "msg_1"}),
    ]


def test_text_that_has_another_id_at_the_end_is_told_once() -> None:
    out = heard(text_delta(0, "msg_1", "Hello"), completed(message_item("other", "Hello")))
    assert [event for event in out if isinstance(event, TextDelta)] == [TextDelta("Hello", "msg_1")]


def test_arguments_that_the_item_does_not_repeat_are_remembered() -> None:
    events = list(call(0, "fc_1", "call_1", "look", '{"a":1}'))
    del events[-1]["item"]["arguments"]
    del events[1]
    assert calls(heard(created(), *events, completed()))[0].args == {"a": 1}


def test_a_server_that_renames_items_in_every_frame_is_understood() -> None:
    events = ANSWERS["thoughts and a call"]
    renamed = [
        {**event, "item_id": f"{event['item_id']}_{n}"} if "item_id" in event else event
        for n, event in enumerate(events)
    ]
    assert heard(*renamed) == heard(*events)


def test_names_are_unique_even_if_the_server_repeats_them() -> None:
    out = heard(
        created(),
        *call(0, "fc_1", "call_1", "look", "{}"),
        *call(1, "fc_2", "call_1", "look", "{}"),
        *call(2, "fc_3", "", "look", "{}"),
        completed(),
    )
    assert [c.call_id for c in calls(out)] == ["call_1", "new1", "new2"]


def test_frames_without_a_name_tell_it_themselves() -> None:
    events = ANSWERS["thoughts, a search, thoughts, cited text"]
    nameless = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    assert decode([nameless + b"data: [DONE]\n\n"]) == heard(*events)


def test_half_a_character_does_not_break_an_answer() -> None:
    reader = decoder()
    out: list[StreamEvent] = []
    reader.feed(b"response.output_text.delta", b'{"output_index":0,"item_id":"m","delta":"\\ud83d"}', out)
    assert out == [TextDelta("\ud83d", "m")]


def test_a_picture_that_was_drawn_is_a_file_and_is_not_kept_twice() -> None:
    data = base64.b64encode(b"\x89PNG").decode()
    item = {
        "id": "ig_1",
        "type": "image_generation_call",
        "status": "completed",
        "revised_prompt": "A cat.",
        "output_format": "webp",
        "result": data,
    }
    partial = {"type": "response.image_generation_call.partial_image", "partial_image_b64": data}
    out = heard(created(), added(0, {**item, "result": None}), partial, done(0, item), completed())
    assert out[1:-1] == [
        ToolCalled(
            CallId("ig_1"),
            "image_generation",
            {"prompt": "A cat."},
            provider_executed=True,
            internal={"id": "ig_1"},
        ),
        ToolReturned(CallId("ig_1"), "image_generation", {"status": "completed"}, internal={"id": "ig_1"}),
        FileMade("image/webp", b"\x89PNG"),
    ]


def test_other_tools_of_the_provider_are_told_with_their_results() -> None:
    items: list[Event] = [
        {
            "id": "ci_1",
            "type": "code_interpreter_call",
            "status": "completed",
            "code": "1+1",
            "outputs": None,
        },
        {
            "id": "fs_1",
            "type": "file_search_call",
            "status": "completed",
            "queries": ["tides"],
            "results": [],
        },
        {
            "id": "mc_1",
            "type": "mcp_call",
            "name": "roll",
            "arguments": '{"dice":2}',
            "output": "7",
            "error": None,
        },
    ]
    out = heard(created(), *(done(n, item) for n, item in enumerate(items)), completed())
    assert [(c.tool, c.args, c.provider_executed) for c in calls(out)] == [
        ("code_interpreter", {"code": "1+1"}, True),
        ("file_search", {"queries": ["tides"]}, True),
        ("roll", {"dice": 2}, True),
    ]
    assert [e.result for e in out if isinstance(e, ToolReturned)] == [
        {"status": "completed"},
        {"status": "completed", "results": []},
        {"output": "7"},
    ]
    assert finish(out).stop is Stop.DONE


@proves("model-layer", 95)
def test_all_actions_on_a_computer_are_one_call_for_us_to_answer() -> None:
    out = heard(*ANSWERS["a computer"])
    assert calls(out) == [
        ToolCalled(
            CallId("call_screen"),
            "computer",
            {
                "actions": COMPUTER_CALL["actions"],
                "pending_safety_checks": COMPUTER_CALL["pending_safety_checks"],
            },
            internal={"id": "cu_1", "after": "rs_1", "item": COMPUTER_CALL},
        )
    ]
    assert finish(out).stop is Stop.TOOLS


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        (
            {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 4},
            Usage(input_tokens=40, cache_read_tokens=60, output_tokens=4, total_tokens=104),
        ),
        (
            {
                "input_tokens": 50,
                "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 30},
                "output_tokens": 1,
            },
            Usage(cache_read_tokens=40, cache_creation_tokens=30, output_tokens=1, total_tokens=71),
        ),
        (
            {"input_tokens": 5, "input_tokens_details": None, "output_tokens": None},
            Usage(input_tokens=5, total_tokens=5),
        ),
    ],
)
@proves("model-layer", 96)
def test_fresh_tokens_are_what_the_cache_leaves_and_never_negative(counts: Event, usage: Usage) -> None:
    assert finish(heard(created(), completed(usage=counts))).usage == usage


@pytest.mark.parametrize(
    ("cost", "micros"),
    [(0.00125, 1250), (0, 0), (2, 2_000_000), (None, None), ("free", None), (-1, None), ({"total": 1}, None)],
)
def test_what_a_gateway_says_that_an_answer_has_cost_is_kept(cost: object, micros: int | None) -> None:
    counts: Event = {"input_tokens": 1, "output_tokens": 1, "cost": cost}

    assert finish(heard(created(), completed(usage=counts))).cost_micros == micros


def test_usage_that_was_not_counted_is_unknown() -> None:
    end = completed()
    end["response"]["usage"] = None
    assert finish(heard(created(), end)).usage is None
