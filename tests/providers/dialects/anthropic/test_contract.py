"""What holds for every answer, however it is cut and whatever is strange about it."""

import json
from collections import Counter
from typing import Any

import pytest

from chatd.providers.dialect import Head
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
)
from tests.providers.dialects.anthropic.replies import answers, body, reply, request, stored, user
from tests.providers.dialects.anthropic.streams import (
    STREAMS,
    Wire,
    decoder,
    frame,
    message_start,
    read,
    read_in,
    text,
    wire,
)
from tests.providers.dialects.anthropic.validator import problems
from tests.traceability import proves

every_stream = pytest.mark.parametrize("name", STREAMS)


def failure(events: list[StreamEvent]) -> tuple[str, bool]:
    assert isinstance(events[-1], Failed)
    return events[-1].error.fault, events[-1].error.retryable


def endings(events: list[StreamEvent]) -> list[StreamEvent]:
    return [event for event in events if isinstance(event, Finished | Failed)]


@proves("model-layer", 1)
@every_stream
def test_a_whole_answer_ends_once_and_well(name: str) -> None:
    events = read(STREAMS[name])

    assert endings(events) == [events[-1]]
    assert isinstance(events[-1], Finished)


@every_stream
def test_it_does_not_matter_how_the_bytes_are_cut(name: str) -> None:
    whole = wire(STREAMS[name])
    events = read_in([whole])

    assert read_in([frame(event) for event in STREAMS[name]]) == events
    assert read_in([whole[at : at + 1] for at in range(len(whole))]) == events
    for at in range(len(whole)):
        assert read_in([whole[:at], whole[at:]]) == events


@proves("model-layer", 2)
@every_stream
def test_an_answer_that_breaks_off_anywhere_is_no_answer(name: str) -> None:
    events = STREAMS[name]

    for length in range(len(events)):
        heard = read(events[:length])
        assert failure(heard) == ("incomplete_stream", True)
        assert len(endings(heard)) == 1


@proves("model-layer", 3)
@every_stream
def test_every_block_that_speaks_ends_once_and_every_call_is_whole(name: str) -> None:
    events = read(STREAMS[name])

    spoken = {event.block for event in events if isinstance(event, TextDelta | ReasoningDelta)}
    ended = Counter(event.block for event in events if isinstance(event, BlockEnded))
    assert ended == Counter(spoken)
    begun = {event.call_id for event in events if isinstance(event, ToolInput)}
    called = Counter(event.call_id for event in events if isinstance(event, ToolCalled))
    assert called == Counter(begun)


@proves("model-layer", 4)
@every_stream
def test_frames_of_an_unknown_kind_change_nothing(name: str) -> None:
    strange: Wire = {"type": "content_block_hologram", "index": 0, "delta": {"text": 3}}
    reader = decoder()
    out: list[StreamEvent] = []
    for event in STREAMS[name]:
        for known in (strange, event):
            reader.feed(known["type"].encode(), json.dumps(known).encode(), out)

    assert out == read(STREAMS[name])
    # Nothing is looked at behind the end.
    assert vars(reader)["skipped"] == len(STREAMS[name])


def embellished(value: Any) -> Any:
    """The same with an unknown field in every object that is not somebody's content."""
    if isinstance(value, dict):
        known = {name: entry if name == "input" else embellished(entry) for name, entry in value.items()}
        return {"zzz": {"text": ["new"]}, **known}
    return value


@proves("model-layer", 5)
@every_stream
def test_unknown_fields_change_nothing(name: str) -> None:
    # What has to go back untouched keeps its unknown fields: that is its own test.
    plain = [event for event in STREAMS[name] if event.get("delta", {}).get("type") != "citations_delta"]

    assert read([embellished(event) for event in plain]) == read(plain)


def test_an_unknown_kind_of_block_or_delta_is_passed_over_and_counted() -> None:
    events = [
        message_start(),
        {"type": "content_block_start", "index": 0, "content_block": {"type": "hologram", "text": "?"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "?"}},
        {"type": "content_block_stop", "index": 0},
        *STREAMS["text"][2:3],
        {"type": "content_block_delta", "index": 0, "delta": {"type": "light_delta", "text": {"red": 1}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "?"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "?"}},
        *STREAMS["text"][3:],
    ]
    reader = decoder()
    out: list[StreamEvent] = []
    for event in events:
        reader.feed(event["type"].encode(), json.dumps(event).encode(), out)

    assert [event for event in out if not isinstance(event, BlockEnded)] == [
        event for event in read(STREAMS["text"]) if not isinstance(event, BlockEnded)
    ]
    assert vars(reader)["skipped"] == 6


@proves("model-layer", 6)
@pytest.mark.parametrize(
    "kind",
    [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "error",
    ],
)
@pytest.mark.parametrize("data", ["{", "nonsense", '{"index": '])
def test_a_known_frame_that_is_no_json_ends_the_stream(kind: str, data: str) -> None:
    whole = wire(STREAMS["text"][:3])

    events = read_in([whole, f"event: {kind}\ndata: {data}\n\n".encode(), wire(STREAMS["text"][3:])])

    assert failure(events) == ("invalid_response", True)
    assert events[:-1] == read(STREAMS["text"][:3])[:-1]


def test_a_delta_of_a_known_kind_with_the_wrong_content_ends_the_stream() -> None:
    broken: Wire = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}}

    assert failure(read([*STREAMS["text"][:3], broken, *STREAMS["text"][3:]])) == ("invalid_response", True)


@proves("model-layer", 7)
def test_a_block_without_content_leaves_nothing_behind() -> None:
    events = read(STREAMS["nothing but an empty block"])

    assert reply(events).parts == ()
    assert isinstance(events[-1], Finished)


@proves("model-layer", 8)
@every_stream
def test_what_was_said_may_be_sent_back(name: str) -> None:
    said = reply(read(STREAMS[name]))
    history = [user("Hello."), said, *answers(said)] if said.parts else [user("Hello.")]

    assert problems(body([*history, user("Go on.")])) == []


@proves("model-layer", 9)
@every_stream
def test_what_was_stored_is_sent_back_byte_for_byte(name: str) -> None:
    said = reply(read(STREAMS[name]))
    history = [user("Hello."), said, *answers(said), user("Go on.")]

    assert request([stored(turn) for turn in history]) == request(history)


@proves("model-layer", 10)
@every_stream
def test_the_same_history_is_written_the_same_way_twice(name: str) -> None:
    said = reply(read(STREAMS[name]))
    head = Head(system=("Be brief.",))

    assert request([user("Hello."), said, *answers(said)], head) == request(
        [user("Hello."), said, *answers(said)], head
    )


@proves("model-layer", 11)
def test_a_longer_history_begins_with_the_bytes_of_the_shorter_one() -> None:
    said = reply(read(STREAMS["tools"]))
    shorter = [user("Hello."), said, *answers(said)]
    longer = [*shorter, reply(read(STREAMS["text"])), user("And now?")]

    def without_marks(history: bytes) -> bytes:
        return history.replace(b',"cache_control":{"type":"ephemeral"}', b"")

    before = request(shorter).removesuffix(b"]}")
    assert without_marks(request(longer)).startswith(without_marks(before))
    # There were marks to take out.
    assert not request(longer).startswith(before)


def test_nothing_follows_the_end() -> None:
    assert read([*STREAMS["text"], *text(7, "late"), {"type": "error", "error": {}}]) == read(STREAMS["text"])
