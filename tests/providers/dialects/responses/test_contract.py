"""What holds of every answer, whatever is in it."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from chatd.providers.dialect import Head
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import Attachment, Called, Returned, WireTurn
from tests.providers.dialects.responses.answers import ANSWERS
from tests.providers.dialects.responses.validator import problems
from tests.providers.dialects.responses.wire import (
    Event,
    completed,
    created,
    decode,
    decoder,
    frame,
    heard,
    message,
    reply,
    request,
    results,
    sent,
    stream,
    target,
    user,
)
from tests.traceability import proves

every_answer = pytest.mark.parametrize("events", ANSWERS.values(), ids=ANSWERS.keys())


@every_answer
def test_an_answer_is_the_same_however_its_bytes_are_cut(events: Sequence[Event]) -> None:
    whole = stream(*events)
    expected = decode([whole])
    assert decode([frame({**event, "sequence_number": n}) for n, event in enumerate(events)]) == expected
    assert decode([whole[n : n + 1] for n in range(len(whole))]) == expected
    for cut in range(1, len(whole)):
        assert decode([whole[:cut], whole[cut:]]) == expected


@every_answer
@proves("model-layer", 1)
def test_an_answer_ends_once_and_with_the_last_event(events: Sequence[Event]) -> None:
    ends = [event for event in heard(*events) if isinstance(event, Finished | Failed)]
    assert len(ends) == 1
    assert isinstance(ends[0], Finished)
    assert isinstance(heard(*events)[-1], Finished)


@every_answer
@proves("model-layer", 2)
def test_an_answer_that_breaks_off_anywhere_fails_and_may_be_tried_again(events: Sequence[Event]) -> None:
    for length in range(len(events)):
        *before, last = heard(*events[:length])
        assert not any(isinstance(event, Finished | Failed) for event in before)
        assert isinstance(last, Failed)
        assert last.error.fault == "incomplete_stream"
        assert last.error.retryable


@every_answer
@proves("model-layer", 3)
def test_every_block_ends_once_and_every_call_is_whole_once(events: Sequence[Event]) -> None:
    out = heard(*events)
    spoken = {event.block for event in out if isinstance(event, TextDelta | ReasoningDelta)}
    ended = [event.block for event in out if isinstance(event, BlockEnded)]
    assert sorted(ended) == sorted(spoken)
    begun = {event.call_id for event in out if isinstance(event, ToolInput)}
    called = [event.call_id for event in out if isinstance(event, ToolCalled) and not event.provider_executed]
    assert sorted(called) == sorted(begun)
    own = [event.call_id for event in out if isinstance(event, ToolCalled) and event.provider_executed]
    assert own == [event.call_id for event in out if isinstance(event, ToolReturned)]
    assert not spoken & {*called, *own}
    for number, event in enumerate(out):
        if isinstance(event, BlockEnded):
            later = out[number + 1 :]
            assert not any(
                isinstance(e, TextDelta | ReasoningDelta) and e.block == event.block for e in later
            )


@every_answer
@proves("model-layer", 4)
def test_an_unknown_frame_changes_nothing(events: Sequence[Event]) -> None:
    strange = {"type": "response.telepathy.delta", "delta": "?", "output_index": 0}
    unknown_item = {
        "type": "response.output_item.done",
        "output_index": 90,
        "item": {"type": "dream", "id": "d"},
    }
    between = [event for each in events[:-1] for event in (each, strange)]
    assert heard(*between, unknown_item, events[-1]) == heard(*events)


def test_unknown_frames_are_counted_and_signs_of_life_are_not() -> None:
    reader = decoder()
    out: list[StreamEvent] = []
    reader.feed(b"response.telepathy.delta", b"{not even JSON", out)
    reader.feed(b"response.web_search_call.searching", b'{"output_index":0}', out)
    reader.feed(b"", b"[DONE]", out)
    reader.feed(b"response.function_call_arguments.delta", b'{"output_index":7,"delta":"{"}', out)
    assert reader.skipped == 2
    assert out == []


@every_answer
@proves("model-layer", 5)
def test_unknown_fields_change_nothing(events: Sequence[Event]) -> None:
    def widened(value: Any) -> Any:
        if isinstance(value, dict):
            return {"zz_new": {"deep": [1]}, **{key: widened(each) for key, each in value.items()}}
        return [widened(each) for each in value] if isinstance(value, list) else value

    assert [_known(event) for event in heard(*(widened(e) for e in events))] == [
        _known(event) for event in heard(*events)
    ]


def _known(event: StreamEvent) -> Any:
    """The event without the new field: what goes back as it came keeps also what we do not know."""
    text = msgspec.json.encode(event).decode()
    return type(event), text.replace('"zz_new":{"deep":[1]},', "").replace(r"\"zz_new\":{\"deep\":[1]},", "")


@pytest.mark.parametrize(
    "name",
    [
        "response.output_text.delta",
        "response.output_item.done",
        "response.function_call_arguments.delta",
        "response.completed",
        "error",
    ],
)
@pytest.mark.parametrize(
    "data", [b'{"delta": "x', b"[]", b"\xff\xfe", b'{"item":7,"delta":7,"response":7,"code":[]}']
)
@proves("model-layer", 6)
def test_a_frame_that_cannot_be_read_ends_the_answer(name: str, data: bytes) -> None:
    reader = decoder()
    out: list[StreamEvent] = []
    for event in (created(), *message(0, "msg_1", "Hi")):
        reader.feed(event["type"].encode(), json.dumps(event).encode(), out)
    before = len(out)
    reader.feed(name.encode(), data, out)
    reader.feed(b"response.completed", json.dumps(completed()).encode(), out)
    reader.close(out)
    assert len(out) == before + 1
    assert isinstance(out[-1], Failed)
    assert out[-1].error.fault == "invalid_response"


@proves("model-layer", 7)
def test_a_message_without_a_word_leaves_nothing_behind() -> None:
    out = heard(created(), *message(0, "msg_1"), completed())
    assert [type(event) for event in out] == [Started, Finished]
    assert reply(out).parts == ()


@every_answer
@proves("model-layer", 8)
@pytest.mark.parametrize("store", [False, True], ids=["not stored", "stored"])
def test_every_answer_can_go_back_to_who_gave_it(events: Sequence[Event], *, store: bool) -> None:
    said = reply(heard(*events, store=store))
    body = sent([user("Hi")], [said, *_answers(said), user("Go on")], to=target(store=store))
    assert problems(body) == []


def _answers(said: WireTurn) -> list[WireTurn]:
    """A picture for whoever uses a computer, words for all others."""
    screen = (Attachment("image/png", b"\x89PNG"),)
    return [
        WireTurn(
            "tool", (Returned(part.id, part.tool, "", attachments=screen if part.tool == "computer" else ()),)
        )
        for part in said.parts
        if isinstance(part, Called) and not part.provider_executed
    ]


@every_answer
@proves("model-layer", 9)
def test_an_answer_that_was_stored_as_json_goes_back_unchanged(events: Sequence[Event]) -> None:
    said = reply(heard(*events))
    stored = _through_json(said)
    assert request([stored, *results(stored)]) == request([said, *results(said)])


def _through_json(turn: WireTurn) -> WireTurn:
    parts = tuple(
        type(part)(**{field: _again(getattr(part, field)) for field in part.__struct_fields__})
        for part in turn.parts
    )
    return WireTurn(turn.role, parts, _again(turn.internal))


def _again(value: Any) -> Any:
    return value if isinstance(value, tuple) else json.loads(json.dumps(value))


@every_answer
@proves("model-layer", 10)
def test_a_history_written_twice_is_the_same_to_the_byte(events: Sequence[Event]) -> None:
    said = reply(heard(*events))
    head = Head(system=("Be brief.",), tools=(ToolSpec(name="t", description="d", input_schema={}),))
    assert request([said, *results(said)], head=head) == request([said, *results(said)], head=head)


@every_answer
@proves("model-layer", 11)
def test_a_longer_history_begins_with_the_shorter_one(events: Sequence[Event]) -> None:
    said = reply(heard(*events))
    first = [said, *results(said), user("And?")]
    shorter = request([user("Hi")], first).json
    longer = request([user("Hi")], first, [reply(heard(*ANSWERS["text"])), user("More")]).json
    end = shorter.rindex(b'],"model"')
    assert longer.startswith(shorter[:end])
    newest = RESPONSES.write_turns(first, target(), newest=True)
    assert newest == RESPONSES.write_turns(first, target(), newest=False)
