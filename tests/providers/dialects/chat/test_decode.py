from typing import Any

import pytest

from chatd.domain.ids import CallId
from chatd.domain.message import Usage
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Quirks
from chatd.providers.events import (
    BlockEnded,
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
)
from tests.providers.dialects.chat.words import (
    DONE,
    calls,
    chunk,
    decoded,
    failure,
    finished,
    frame,
    piece,
    quirky,
    texts,
    thoughts,
    told,
)
from tests.traceability import proves

COUNTED: dict[str, Any] = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
USAGE = Usage(input_tokens=9, output_tokens=4, total_tokens=13)
END = chunk("stop")


@proves("model-layer", 101)
def test_words_behind_a_call_are_a_block_of_their_own() -> None:
    events = decoded(
        chunk(content="First.")
        + chunk(tool_calls=[piece(0, "{}", id="c1", name="look")])
        + chunk(content="Second.")
        + END
    )

    assert texts(events) == {"t0": "First.", "t1": "Second."}
    assert [e for e in events if isinstance(e, BlockEnded)] == [BlockEnded("t0"), BlockEnded("t1")]
    assert finished(events).stop is Stop.TOOLS


@proves("model-layer", 102)
def test_a_chunk_may_hold_words_and_a_call() -> None:
    events = decoded(chunk("tool_calls", content="Now.", tool_calls=[piece(0, "{}", id="c1", name="look")]))

    assert texts(events) == {"t0": "Now."}
    assert calls(events) == [("c1", "look", {})]


@proves("model-layer", 104)
def test_two_ids_at_one_index_are_two_calls() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, '{"n":1}', id="c1", name="look")])
        + chunk(tool_calls=[piece(0, '{"n":', id="c2", name="look")])
        + chunk(tool_calls=[piece(0, "2}")])
        + END
    )

    assert calls(events) == [("c1", "look", {"n": 1}), ("c2", "look", {"n": 2})]


def test_two_ids_at_one_index_are_two_calls_even_without_arguments() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, "", id="c1", name="look")])
        + chunk(tool_calls=[piece(0, "", id="c2", name="look")])
        + END
    )

    assert calls(events) == [("c1", "look", {}), ("c2", "look", {})]


def test_an_id_that_changes_with_every_piece_is_still_one_call() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, "", id="c1", name="look")])
        + chunk(tool_calls=[piece(0, '{"n":', id="c2")])
        + chunk(tool_calls=[piece(0, "1}", id="c3")])
        + END
    )

    assert calls(events) == [("c1", "look", {"n": 1})]


@proves("model-layer", 105)
def test_a_call_without_id_gets_one() -> None:
    events = decoded(chunk(tool_calls=[piece(0, '{"n":1}', name="look")]) + END)

    assert calls(events) == [("new_1", "look", {"n": 1})]
    assert ToolInput(CallId("new_1"), '{"n":1}', "look") in events


@proves("model-layer", 105)
def test_pieces_with_nothing_in_them_are_only_remembered_for_their_id() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, id="c1", type="function")])
        + chunk(tool_calls=[piece(0)])
        + chunk(tool_calls=[piece(0, "", name="look")])
        + chunk(tool_calls=[piece(0, "")])
        + chunk(tool_calls=[piece(0, "{}")])
        + END
    )

    assert [e for e in events if isinstance(e, ToolInput | ToolCalled)] == [
        ToolInput(CallId("c1"), "", "look"),
        ToolInput(CallId("c1"), "{}", "look"),
        ToolCalled(CallId("c1"), "look", {}),
    ]


@proves("model-layer", 105)
def test_arguments_may_be_the_object_itself() -> None:
    events = decoded(chunk(tool_calls=[piece(0, {"n": [1, "é"]}, id="c1", name="look")]) + END)

    assert ToolInput(CallId("c1"), '{"n":[1,"é"]}', "look") in events
    assert calls(events) == [("c1", "look", {"n": [1, "é"]})]


def test_pieces_without_index_belong_to_their_id_and_else_to_the_last_call() -> None:
    events = decoded(
        chunk(tool_calls=[piece(arguments='{"n":', id="c1", name="look")])
        + chunk(tool_calls=[piece(arguments='{"m":', id="c2", name="hear")])
        + chunk(tool_calls=[piece(arguments="2}")])
        + chunk(tool_calls=[piece(arguments="1}", id="c1")])
        + END
    )

    assert calls(events) == [("c1", "look", {"n": 1}), ("c2", "hear", {"m": 2})]


def test_whole_calls_in_one_place_without_ids_are_told_apart() -> None:
    whole = [piece(0, '{"n":1}', name="look"), piece(0, '{"n":2}', name="look")]

    events = decoded(chunk(tool_calls=whole) + END)

    assert calls(events) == [("new_1", "look", {"n": 1}), ("new_2", "look", {"n": 2})]


def test_one_id_for_two_calls_stays_with_the_first() -> None:
    two = [piece(0, "{}", id="c1", name="look"), piece(1, "{}", id="c1", name="hear")]

    assert calls(decoded(chunk(tool_calls=two) + END)) == [("c1", "look", {}), ("new_1", "hear", {})]


def test_a_name_that_is_repeated_is_one_name() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, '{"n":', id="c1", name="look")])
        + chunk(tool_calls=[piece(0, "1}", id="c1", name="look")])
        + END
    )

    assert calls(events) == [("c1", "look", {"n": 1})]


def test_a_name_may_come_in_two_pieces() -> None:
    events = decoded(
        chunk(tool_calls=[piece(0, id="c1", name="look_")])
        + chunk(tool_calls=[piece(0, name="up")])
        + chunk(tool_calls=[piece(0, "{}")])
        + END
    )

    assert calls(events) == [("c1", "look_up", {})]


def test_calls_come_in_the_order_of_their_indices() -> None:
    two = [piece(1, "{}", id="c2", name="hear"), piece(0, "{}", id="c1", name="look")]

    assert calls(decoded(chunk(tool_calls=two) + END)) == [("c1", "look", {}), ("c2", "hear", {})]


def test_the_older_form_of_a_call_is_a_call() -> None:
    events = decoded(
        chunk(function_call={"name": "look", "arguments": ""})
        + chunk(function_call={"arguments": '{"n":1}'})
        + chunk("function_call")
    )

    assert calls(events) == [("new_1", "look", {"n": 1})]
    assert finished(events).stop is Stop.TOOLS


@proves("model-layer", 105)
def test_a_call_of_another_type_is_no_good_answer() -> None:
    source = [cited("https://a.example")]
    strange = piece(0, "{}", id="c", type="custom")
    events = decoded(
        chunk(tool_calls=[strange], annotations=source, choice={"message": {"annotations": source}})
    )

    assert failure(events).fault == "invalid_response"
    assert len(events) == 2


@proves("model-layer", 106)
@pytest.mark.parametrize(
    ("written", "args"),
    [
        ("", {}),
        ("  ", {}),
        ('{"n": 1', '{"n": 1'),
        ("[1]", "[1]"),
        ('{"n":1,"n":2}', '{"n":1,"n":2}'),
        ('{"n":{"m":1,"m":2}}', '{"n":{"m":1,"m":2}}'),
        ('{"n":NaN}', '{"n":NaN}'),
        ('{"n":1}}', '{"n":1}}'),
    ],
)
def test_arguments_that_are_no_object_stay_the_text_they_are(written: str, args: Json) -> None:
    events = decoded(chunk(tool_calls=[piece(0, written, id="c1", name="look")]) + chunk("tool_calls"))

    assert calls(events) == [("c1", "look", args)]
    assert "".join(e.json for e in events if isinstance(e, ToolInput)) == written
    assert finished(events).stop is Stop.TOOLS


def test_a_call_that_was_cut_off_by_the_limit_stays_what_it_is() -> None:
    events = decoded(chunk(tool_calls=[piece(0, '{"n":', id="c1", name="look")]) + chunk("length"))

    assert calls(events) == [("c1", "look", '{"n":')]
    assert finished(events).stop is Stop.LENGTH


def test_a_call_whose_arguments_never_began_is_not_one_without_arguments() -> None:
    pieces = [piece(0, "", id="c1", name="look"), piece(1, "", id="c2", name="look")]

    cut = decoded(chunk(tool_calls=pieces) + chunk("length"))
    whole = decoded(chunk(tool_calls=pieces) + chunk("tool_calls"))

    assert calls(cut) == [("c1", "look", {}), ("c2", "look", "{")]
    assert calls(whole) == [("c1", "look", {}), ("c2", "look", {})]


@proves("model-layer", 107)
@pytest.mark.parametrize(
    ("stream", "is_whole"),
    [
        (chunk(content="Hello"), False),
        (chunk(content="Hello") + DONE, False),
        (chunk(tool_calls=[piece(0, '{"n":1}', id="c", name="look")]), False),
        (chunk(tool_calls=[piece(0, '{"n":1}', id="c", name="look")]) + DONE, True),
        (chunk(tool_calls=[piece(0, '{"n":', id="c", name="look")]) + DONE, False),
        (chunk(tool_calls=[piece(0, "", id="c", name="look")]) + DONE, False),
        (DONE, False),
        (b"", False),
    ],
)
def test_without_a_reason_to_end_only_whole_calls_and_a_last_word_are_an_answer(
    stream: bytes, *, is_whole: bool
) -> None:
    events = decoded(stream)

    if is_whole:
        assert finished(events) == Finished(Stop.TOOLS)
    else:
        assert failure(events).fault == "incomplete_stream"


def _usage_at(place: str) -> bytes:
    last: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
    counted = {"usage": COUNTED}
    match place:
        case "own frame":
            return frame(choices=[last]) + frame(choices=[], **counted)
        case "finish":
            return frame(choices=[last], **counted)
        case "both":
            return frame(choices=[last], **counted) + frame(choices=[], **counted)
        case "before an empty frame":
            return (
                frame(choices=[last], **counted) + frame(choices=[], usage=None) + frame(choices=[], usage={})
            )
        case "groq":
            return frame(choices=[last], x_groq=counted)
        case "kimi":
            return frame(choices=[{**last, **counted}]) + chunk(choice={"usage": {}})
        case _:
            early = {"usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}}
            return frame(choices=[], **early) + frame(choices=[last]) + frame(choices=[], **counted)


@proves("model-layer", 108)
@pytest.mark.parametrize(
    "place", ["own frame", "finish", "both", "before an empty frame", "groq", "kimi", "every frame"]
)
def test_usage_counts_wherever_it_stands(place: str) -> None:
    assert finished(decoded(chunk(content="Hi") + _usage_at(place) + DONE)).usage == USAGE


def _counted(quirks: Quirks | None = None, **fields: Json) -> Usage | None:
    at = quirky() if quirks is None else quirky(**{f: getattr(quirks, f) for f in quirks.__struct_fields__})
    return finished(decoded(END + frame(choices=[], usage=fields), at)).usage


@proves("model-layer", 109)
def test_thoughts_are_not_counted_twice() -> None:
    inside = _counted(**COUNTED, completion_tokens_details={"reasoning_tokens": 3})
    outside = _counted(**(COUNTED | {"total_tokens": 16}), completion_tokens_details={"reasoning_tokens": 3})

    assert inside == Usage(input_tokens=9, output_tokens=4, reasoning_tokens=3, total_tokens=13)
    assert outside == Usage(input_tokens=9, output_tokens=7, reasoning_tokens=3, total_tokens=16)


def test_a_server_known_to_count_outside_is_believed_unless_its_total_says_otherwise() -> None:
    outside = Quirks(usage_outside_reasoning=True)
    details = {"completion_tokens_details": {"reasoning_tokens": 3}}

    without_total = _counted(outside, prompt_tokens=9, completion_tokens=4, **details)
    with_total = _counted(outside, **COUNTED, **details)

    assert without_total == Usage(input_tokens=9, output_tokens=7, reasoning_tokens=3, total_tokens=16)
    assert with_total == Usage(input_tokens=9, output_tokens=4, reasoning_tokens=3, total_tokens=13)


def test_google_hides_its_thoughts_in_the_total() -> None:
    usage = _counted(Quirks(gemini_compat=True), **(COUNTED | {"total_tokens": 50}))

    assert usage == Usage(input_tokens=9, output_tokens=41, reasoning_tokens=37, total_tokens=50)


def test_counts_are_never_negative_and_may_be_missing() -> None:
    more_cached = _counted(**COUNTED, prompt_tokens_details={"cached_tokens": 12})
    nulls = _counted(prompt_tokens=None, completion_tokens=4.0, total_tokens=None, prompt_tokens_details=None)

    assert more_cached == Usage(cache_read_tokens=12, output_tokens=4, total_tokens=16)
    assert nulls == Usage(output_tokens=4, total_tokens=4)


def test_searches_that_the_server_made_are_counted() -> None:
    usage = _counted(**COUNTED, server_tool_use={"web_search_requests": 2})

    assert usage == Usage(input_tokens=9, output_tokens=4, total_tokens=13, web_searches=2)


def test_who_does_not_count_has_no_usage() -> None:
    assert finished(decoded(chunk("stop", content="Hi"))).usage is None


@pytest.mark.parametrize(
    ("cost", "micros"),
    [
        ("0.00014235", 142),
        ("0", 0),
        ("1.1e-5", 11),
        ("12345.678901", 12_345_678_901),
        ("-0.5", None),
        ("null", None),
        ('"free"', None),
        ("10000000", 10**13),
        ("10000000.000001", None),
        ("1e999999999", None),
        ('{"total_cost": 1}', None),
    ],
)
def test_a_cost_is_exact_or_unknown(cost: str, micros: int | None) -> None:
    usage = b'data: {"choices":[],"usage":{"prompt_tokens":1,"cost":%b}}\n\n' % cost.encode()

    assert finished(decoded(END + usage)).cost_micros == micros


@proves("model-layer", 110)
@pytest.mark.parametrize(
    ("delta", "field"),
    [
        ({"reasoning_content": "Hm."}, "reasoning_content"),
        ({"reasoning": "Hm."}, "reasoning"),
        ({"reasoning_text": "Hm."}, "reasoning_text"),
        ({"reasoning_content": "Hm.", "reasoning": "Hm."}, "reasoning_content"),
        ({"reasoning_content": "", "reasoning": "Hm."}, "reasoning"),
        ({"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}, "reasoning"),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}]}, "reasoning_details"),
    ],
)
def test_a_thought_is_one_block_that_ends_before_the_answer(delta: dict[str, Json], field: str) -> None:
    events = decoded(chunk(**delta) + chunk("stop", content="Yes."))

    assert events[1:5] == [
        ReasoningDelta("Hm.", "r0", {"field": field}),
        BlockEnded("r0", {"field": field}),
        TextDelta("Yes.", "t0"),
        BlockEnded("t0"),
    ]


@proves("model-layer", 110)
def test_an_empty_thought_is_remembered_and_one_that_is_not_there_is_not() -> None:
    empty = decoded(chunk(reasoning_content="") + chunk("stop", content="Yes."))
    absent = decoded(chunk(reasoning_content=None) + chunk("stop", content="Yes."))
    beside_words = decoded(
        chunk(content="Ye", reasoning_content="") + chunk("stop", content="s.", reasoning="")
    )

    assert empty[1:3] == [
        ReasoningDelta("", "r0", {"field": "reasoning_content"}),
        BlockEnded("r0", {"field": "reasoning_content"}),
    ]
    assert thoughts(absent) == {}
    assert (thoughts(beside_words), texts(beside_words)) == ({}, {"t0": "Yes."})


@proves("model-layer", 111)
def test_a_thought_at_the_end_ends_too() -> None:
    events = decoded(chunk("stop", reasoning="Hm."))

    assert events[-2] == BlockEnded("r0", {"field": "reasoning"})


def test_thinking_again_is_another_block() -> None:
    events = decoded(
        chunk(reasoning="A") + chunk(content="B") + chunk(reasoning="C") + chunk("stop", content="D")
    )

    assert thoughts(events) == {"r0": "A", "r1": "C"}
    assert texts(events) == {"t0": "B", "t1": "D"}


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", Stop.DONE),
        ("eos", Stop.DONE),
        ("end_turn", Stop.DONE),
        ("length", Stop.LENGTH),
        ("max_tokens", Stop.LENGTH),
        ("content_filter", Stop.REFUSED),
        ("safety", Stop.REFUSED),
        ("tool_calls", Stop.TOOLS),
        ("function_call", Stop.TOOLS),
        ("tool_use", Stop.TOOLS),
        ("tea_time", Stop.OTHER),
    ],
)
def test_every_reason_to_end_has_its_meaning(reason: str, stop: Stop) -> None:
    end = finished(decoded(chunk(reason, content="Hi")))

    assert end.stop is stop


def test_the_first_reason_counts_and_an_empty_one_is_none() -> None:
    events = decoded(chunk("", content="Hi") + chunk("length") + chunk("stop"))

    assert finished(events).stop is Stop.LENGTH


def test_a_refusal_is_shown_as_such() -> None:
    events = decoded(chunk(refusal="I can") + chunk(refusal="not.") + chunk("stop"))

    assert events[1:] == [
        TextDelta("I can", "t0"),
        TextDelta("not.", "t0"),
        BlockEnded("t0", {"refusal": True}),
        Finished(Stop.REFUSED, refusal=Refusal("", "I cannot.")),
    ]


def cited(url: str, **more: str) -> dict[str, Json]:
    return {"type": "url_citation", "url_citation": {"url": url, "start_index": 0, **more}}


@proves("model-layer", 115)
def test_a_source_is_found_once() -> None:
    repeated = {"message": {"content": "Hi", "annotations": [cited("https://a.example")]}}
    events = decoded(
        chunk(content="Hi", annotations=[cited("https://a.example", title="A")])
        + chunk(annotations=[cited("https://a.example"), cited("https://b.example"), {"type": "footnote"}])
        + chunk("stop", choice=repeated)
    )

    assert [e for e in events if isinstance(e, SourceFound)] == [
        SourceFound("new_1", "https://a.example", "A"),
        SourceFound("new_2", "https://b.example"),
    ]
    assert texts(events) == {"t0": "Hi"}


def test_pictures_and_sound_become_files() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}}
    events = decoded(
        chunk(images=[picture, {"image_url": {"url": "https://elsewhere.example/a.png"}}])
        + chunk(audio={"id": "a", "data": "UEM="})
        + chunk("stop", audio={"data": "TQ=="})
    )

    assert [e for e in events if isinstance(e, FileMade)] == [
        FileMade("image/png", b"PNG"),
        FileMade("audio/pcm", b"PCM"),
    ]


@proves("model-layer", 116)
@pytest.mark.parametrize(
    ("error", "fault", "message"),
    [
        ({"code": "server_error", "message": "Broken."}, "server_error", "Broken."),
        ({"type": "tea_error", "message": "No tea."}, "tea_error", "No tea."),
        ("Just broken.", None, "Just broken."),
    ],
)
@pytest.mark.parametrize(
    "beside", [{}, {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}]
)
def test_an_error_in_the_middle_ends_the_answer(
    error: Json, fault: str | None, message: str, beside: dict[str, Json]
) -> None:
    events = decoded(
        chunk(content="Hi") + frame(error=error, **beside) + chunk("stop", content="more") + DONE
    )

    assert texts(events) == {"t0": "Hi"}
    assert message in {failure(events).message, failure(events).detail}
    if fault is not None:
        assert told(failure(events)) == told(failure(decoded(frame(error=error))))


@proves("model-layer", 116)
def test_a_server_error_may_be_tried_again_and_an_unknown_one_not() -> None:
    assert failure(decoded(frame(error={"code": "server_error", "message": "x"}))).retryable
    assert not failure(decoded(frame(error={"type": "tea_error", "message": "x"}))).retryable


@pytest.mark.parametrize(
    "stream",
    [
        b'event: error\ndata: {"message":"Broken.","code":503}\n\n',
        b'event: error\ndata: "Broken."\n\n',
        b"event: error\ndata: Broken.\n\n",
        b'data: {"object":"error","message":"Broken.","code":503}\n\n',
        b'data: [{"error":{"message":"Broken.","code":503}}]\n\n',
        b'data: {"choices":[{"index":0,"delta":{},"error":{"message":"Broken.","code":503}}]}\n\n',
        b'data: {"choices":[],"x_groq":{"error":"Broken."}}\n\n',
    ],
)
def test_errors_are_known_in_every_spelling(stream: bytes) -> None:
    error = failure(decoded(chunk(content="Hi") + stream + chunk("stop")))

    assert "Broken." in {error.message, error.detail}
    assert error.status_code in {None, 503}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 429}, 429),
        ({"code": "502"}, 502),
        ({"code": "x", "status": 503}, 503),
        ({"code": 7}, None),
        ({"code": True}, None),
        ({"status": "UNAVAILABLE"}, None),
    ],
)
def test_a_status_is_recognized_wherever_it_stands(error: Json, status: int | None) -> None:
    assert failure(decoded(frame(error={"message": "Broken.", **error}))).status_code == status


def test_an_end_by_error_is_an_error_even_after_another_reason() -> None:
    assert failure(decoded(chunk("stop", content="Hi") + chunk("error") + DONE)).fault != "incomplete_stream"


def thought(text: str) -> bytes:
    return chunk(content=text, extra_content={"google": {"thought": True}})


@proves("model-layer", 121)
@pytest.mark.parametrize(
    "stream",
    [
        thought("<thought>Hm.") + chunk(content="</thought>Yes."),
        thought("<thought>Hm.</thought>") + chunk(content="Yes."),
        thought("<tho") + thought("ught>H") + thought("m.</thou") + thought("ght>") + chunk(content="Yes."),
        thought("<thought>Hm.</tho") + chunk(content="ught>Ye") + chunk(content="s."),
        thought("Hm.") + chunk(content="</th") + chunk(content="ought>Yes."),
    ],
)
def test_flagged_thoughts_lose_their_tags(stream: bytes) -> None:
    events = decoded(stream + END)

    assert thoughts(events) == {"r0": "Hm."}
    assert texts(events) == {"t0": "Yes."}
    ended = [e.block for e in events if isinstance(e, BlockEnded)]
    assert ended == ["r0", "t0"]


@proves("model-layer", 121)
def test_a_tag_without_flag_is_what_the_model_said() -> None:
    plain = decoded(chunk(content="<thought>Hm.</thought>Yes.") + END)
    later = decoded(thought("<thought>a <") + chunk(content="Yes, <thought> is a tag.") + END)

    assert texts(plain) == {"t0": "<thought>Hm.</thought>Yes."}
    assert (thoughts(later), texts(later)) == ({"r0": "a <"}, {"t0": "Yes, <thought> is a tag."})


def test_thoughts_without_an_answer_lose_their_tags_too() -> None:
    assert thoughts(decoded(thought("<thought>Hm.</thought>") + END)) == {"r0": "Hm."}
    assert thoughts(decoded(thought("<thought>Hm. </th") + END)) == {"r0": "Hm. </th"}


def test_words_with_extras_that_are_no_flag_are_words() -> None:
    signed = chunk("stop", content="Yes.", extra_content={"google": {"thought_signature": "c2ln"}})

    assert texts(decoded(signed)) == {"t0": "Yes."}


def test_content_may_be_a_list_of_parts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    events = decoded(
        chunk(content=[thinking]) + chunk(content=[{"type": "text", "text": "Yes."}, {"type": "new"}]) + END
    )

    assert (thoughts(events), texts(events)) == ({"r0": "Hm."}, {"t0": "Yes."})


@proves("model-layer", 123)
def test_azure_begins_with_what_its_filters_say() -> None:
    verdicts = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False}}}]
    stream = frame(choices=[], id="", model="", object="", prompt_filter_results=verdicts)

    assert decoded(stream + chunk("stop", content="Hi")) == [
        Started("chatcmpl-1", "m-1"),
        TextDelta("Hi", "t0"),
        BlockEnded("t0"),
        Finished(Stop.DONE, internal={"prompt_filter_results": verdicts}),
    ]


def test_azure_says_which_filter_has_struck() -> None:
    verdicts = {"violence": {"filtered": True, "severity": "high"}, "hate": {"filtered": False}}

    end = finished(decoded(chunk("content_filter", choice={"content_filter_results": verdicts})))

    assert (end.stop, end.refusal) == (Stop.REFUSED, Refusal("violence"))


def test_only_the_first_choice_counts() -> None:
    second = {"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}
    events = decoded(frame(choices=[second]) + chunk("stop", content="yes"))

    assert texts(events) == {"t0": "yes"}
    assert finished(events).stop is Stop.DONE


def test_a_signature_of_google_stays_with_its_call() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    events = decoded(
        chunk("tool_calls", tool_calls=[piece(0, "{}", id="c", name="look", extra_content=extra)])
    )

    called: list[StreamEvent] = [e for e in events if isinstance(e, ToolCalled)]
    assert called == [ToolCalled(CallId("c"), "look", {}, internal={"extra_content": extra})]


def test_a_whole_message_in_a_stream_is_read_when_nothing_else_was_said() -> None:
    stream = frame(choices=[{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}])

    assert texts(decoded(stream)) == {"t0": "Hi"}
