import base64

import pytest

from chatd.kit import codec
from chatd.providers.transport.aws_frames import AwsFrames, BadFrameError, InvokeFrames, fault_message
from chatd.providers.transport.sse import Frame, FrameTooLargeError
from tests.providers.transport.aws_writer import event, fault, header, message
from tests.traceability import proves

EVENTS = (
    event("messageStart", {"role": "assistant"}),
    event("contentBlockDelta", {"delta": {"text": "Grüße"}, "contentBlockIndex": 0, "p": "abcdef"}),
    event("contentBlockDelta", {"delta": {"text": " 🌍"}, "contentBlockIndex": 0, "p": "ab"}),
    event("messageStop", {"stopReason": "end_turn"}),
)
FRAMES: list[Frame] = [
    (b"messageStart", b'{"role":"assistant"}'),
    (b"contentBlockDelta", '{"delta":{"text":"Grüße"},"contentBlockIndex":0,"p":"abcdef"}'.encode()),
    (b"contentBlockDelta", '{"delta":{"text":" 🌍"},"contentBlockIndex":0,"p":"ab"}'.encode()),
    (b"messageStop", b'{"stopReason":"end_turn"}'),
]


def frames(*portions: bytes) -> list[Frame]:
    reader = AwsFrames()
    return [frame for portion in portions for frame in reader.feed(portion)] + reader.close()


def test_messages_become_frames_named_by_their_event() -> None:
    assert frames(b"".join(EVENTS)) == FRAMES
    assert frames(*EVENTS) == FRAMES


def test_it_does_not_matter_where_the_bytes_are_cut() -> None:
    data = b"".join(EVENTS)
    assert frames(*(data[place : place + 1] for place in range(len(data)))) == FRAMES
    for place in range(len(data)):
        assert frames(data[:place], data[place:]) == FRAMES


def test_a_frame_is_told_as_soon_as_it_is_there() -> None:
    reader = AwsFrames()
    assert reader.feed(EVENTS[0] + EVENTS[1][:20]) == FRAMES[:1]
    assert reader.feed(EVENTS[1][20:]) == FRAMES[1:2]


def test_half_a_frame_says_nothing() -> None:
    assert frames(EVENTS[0] + EVENTS[1][:-1]) == FRAMES[:1]


def test_a_damaged_byte_is_noticed_wherever_it_is() -> None:
    whole = EVENTS[1]
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises((BadFrameError, FrameTooLargeError)):
            frames(damaged)


def test_a_frame_that_is_too_large_is_refused_before_it_is_read() -> None:
    reader = AwsFrames(frame_bytes_max=200)
    assert reader.feed(EVENTS[0]) == FRAMES[:1]
    with pytest.raises(FrameTooLargeError):
        reader.feed(event("chunk", b"x" * 200)[:12])


def test_headers_that_reach_beyond_their_message_are_refused() -> None:
    reader = AwsFrames()
    with pytest.raises(BadFrameError):
        reader.feed(message(b"\x0cname-too-lon", b"{}"))


def test_a_header_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(BadFrameError):
        frames(message(b"\x01a\x63", b"{}"))


def test_other_headers_are_stepped_over() -> None:
    others = (
        header(":date", 7)
        + header("yes", value=True)
        + header("raw", b"\x00\xff")
        + header(":event-type", "metadata")
        + header("no", value=False)
    )
    assert frames(message(others, b"{}")) == [(b"metadata", b"{}")]


def test_a_message_without_headers_has_no_name() -> None:
    assert frames(message(b"", b"")) == [(b"", b"")]


def test_an_exception_is_a_frame_named_after_it() -> None:
    assert frames(EVENTS[0] + fault("throttlingException", "Slow down")) == [
        FRAMES[0],
        (b"throttlingException", b'{"message":"Slow down"}'),
    ]


def test_an_error_brings_its_words_in_a_header() -> None:
    headers = (
        header(":message-type", "error")
        + header(":error-code", "InternalError")
        + header(":error-message", "Something broke")
    )
    assert frames(message(headers, b"")) == [(b"InternalError", b'{"message":"Something broke"}')]


@pytest.mark.parametrize(
    ("payload", "words"),
    [(b'{"message":"a"}', "a"), (b'{"Message":"b"}', "b"), (b"{}", "x"), (b"<html>", "x"), (b"", "x")],
)
def test_a_fault_has_words_in_any_case(payload: bytes, words: str) -> None:
    assert fault_message(b"x", payload) == words


def invoked(*portions: bytes) -> list[Frame]:
    reader = InvokeFrames()
    return [frame for portion in portions for frame in reader.feed(portion)] + reader.close()


def chunk(data: bytes) -> bytes:
    return event("chunk", {"bytes": base64.b64encode(data).decode(), "p": "abc"})


@proves("model-layer", 73)
def test_chunks_hold_the_events_of_the_model_behind() -> None:
    events = [b'{"type":"message_start","message":{}}', b'{"type":"message_stop"}']
    data = b"".join(chunk(each) for each in events)
    expected = [(b"", each) for each in events]
    assert invoked(data) == expected
    assert invoked(*(data[place : place + 1] for place in range(len(data)))) == expected


@proves("model-layer", 73)
@pytest.mark.parametrize(
    ("exception", "kind"),
    [
        ("throttlingException", "rate_limit_error"),
        ("validationException", "invalid_request_error"),
        ("modelTimeoutException", "timeout_error"),
        ("serviceUnavailableException", "overloaded_error"),
        ("internalServerException", "api_error"),
        ("modelStreamErrorException", "api_error"),
    ],
)
def test_an_exception_between_chunks_is_the_models_own_error_event(exception: str, kind: str) -> None:
    name, data = invoked(fault(exception, "No"))[0]
    assert name == b"error"
    assert codec.Decoder(dict).decode(data) == {"type": "error", "error": {"type": kind, "message": "No"}}


@pytest.mark.parametrize("payload", [b"{", b'{"bytes":"***"}', b'{"bytes":7}'])
def test_a_chunk_that_holds_something_else_is_refused(payload: bytes) -> None:
    with pytest.raises(BadFrameError):
        invoked(event("chunk", payload))


def test_what_is_no_chunk_passes_through() -> None:
    assert invoked(event("initial-response", {})) == [(b"initial-response", b"{}")]
