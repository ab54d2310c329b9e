"""What is kept of a body depends on what it is and how long it is."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.codec import encode
from chatd.records.bodies import BODY_BYTES_MAX, Body, safe_body, too_large
from chatd.records.secrets import hiding
from tests.traceability import proves

JSON = "application/json; charset=utf-8"
STREAM = "text/event-stream"
KEY = "a-key-that-opens-nothing"
PICTURE = base64.b64encode(bytes(range(256)) * 4).decode()


def kept(data: bytes, content_type: str = JSON) -> Any:
    return safe_body(Body(data), content_type, hiding([KEY]))


def test_json_is_kept_as_json() -> None:
    assert kept(b'{"model":"m","api_key":"k"}') == {"model": "m", "api_key": "[hidden]"}
    assert kept(b'[1,"two"]', "application/problem+json") == [1, "two"]
    assert kept(b"") is None


@proves("loop", 50)
@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (b"<html>me:password</html>", "text/html"),
        (b"password=swordfish", "application/x-www-form-urlencoded"),
        (b'{"password":"swordfish"', JSON),
        (b'{"a":1}{"password":"swordfish"}', JSON),
        (b"\xff\xfe swordfish", JSON),
        (b"[" * 20_000, JSON),
        (b"swordfish", ""),
    ],
)
def test_what_is_not_one_document_of_json_is_not_kept(data: bytes, content_type: str) -> None:
    note = kept(data, content_type)

    assert note.startswith(f"[left out: {len(data)} bytes of ")
    assert "swordfish" not in note


@proves("loop", 50)
def test_what_is_too_large_is_a_mark_that_says_so() -> None:
    fits = encode("a" * (BODY_BYTES_MAX - 2))
    assert len(fits) == BODY_BYTES_MAX

    assert kept(fits) == "a" * (BODY_BYTES_MAX - 2)
    assert kept(fits[:-1] + b'a"') == too_large(BODY_BYTES_MAX + 1)
    assert too_large(60_000) == "[left out: 60000 bytes, more than 50000]"


@proves("loop", 50)
def test_of_a_long_stream_the_beginning_is_kept_without_half_a_key() -> None:
    begins = b"data: a\n\n" + b":" * (BODY_BYTES_MAX - 9 - 12)
    text = kept(begins + KEY.encode() + b" and more", STREAM)

    assert text.startswith("data: a\n\n::")
    assert text.endswith("::… [left out: 21 more bytes]")
    assert KEY[:8] not in text


def test_a_stream_is_kept_as_it_is_but_for_the_key() -> None:
    assert kept(b'event: a\r\ndata: {"token":"usage"}\r\n\r\n', STREAM) == (
        'event: a\r\ndata: {"token":"usage"}\r\n\r\n'
    )
    assert kept(f"data: {KEY}\n\n".encode(), STREAM) == "data: …\n\n"


def test_a_stream_of_amazon_is_made_readable() -> None:
    frame = b'\x00\x00\x00\x10\x0b:event-type{"text":"hi"}'

    assert kept(frame, "application/vnd.amazon.eventstream") == ':event-type{"text":"hi"}'


def test_lines_of_json_are_looked_at_one_by_one() -> None:
    lines = b'{"a":1}\n\n{"token":"swordfish"}\nswordfish\n'

    assert kept(lines, "application/x-ndjson").split("\n") == [
        '{"a":1}',
        "",
        '{"token":"[hidden]"}',
        "[left out: a line of 9 characters that is not JSON]",
    ]


SMALL = base64.b64encode(b"small").decode()


@pytest.mark.parametrize(
    ("written", "kept_as"),
    [
        # Anthropic, Gemini, Bedrock, OpenAI: as a picture, and as a document.
        (
            {"type": "base64", "media_type": "image/png", "data": SMALL},
            {"type": "base64", "media_type": "image/png", "data": "[a file: image/png, 5 bytes]"},
        ),
        (
            {"inlineData": {"mimeType": "application/pdf", "data": SMALL}},
            {"inlineData": {"mimeType": "application/pdf", "data": "[a file: application/pdf, 5 bytes]"}},
        ),
        (
            {"image": {"format": "png", "source": {"bytes": SMALL}}},
            {"image": {"format": "png", "source": {"bytes": "[a file: unknown type, 5 bytes]"}}},
        ),
        (
            {"image_url": {"url": f"data:image/png;base64,{SMALL}"}},
            {"image_url": {"url": "[a file: image/png, 5 bytes]"}},
        ),
        (
            {"file_data": f"data:application/pdf;base64,{SMALL}"},
            {"file_data": "[a file: application/pdf, 5 bytes]"},
        ),
        # Without a type it may be anything, unless it is long.
        ({"data": "words"}, {"data": "words"}),
        ({"data": PICTURE}, {"data": "[a file: unknown type, 1024 bytes]"}),
        ({"text": PICTURE}, {"text": PICTURE}),
        # In the midst of words.
        (
            {"text": f"![dot](data:image/png;base64,{SMALL}) is it"},
            {"text": "![dot]([a file: image/png, 5 bytes]) is it"},
        ),
    ],
)
def test_of_a_file_only_its_type_and_its_size_are_kept(written: object, kept_as: object) -> None:
    assert kept(encode(written)) == kept_as


def test_a_picture_in_a_stream_is_not_kept_either() -> None:
    event = json.dumps({"inlineData": {"mimeType": "image/png", "data": PICTURE}})

    text = kept(f"data: {event}\n\n".encode(), STREAM)

    assert PICTURE not in text
    assert '"data": "[a file: unknown type, 1024 bytes]"' in text


@given(
    st.lists(st.binary(max_size=60_000), max_size=3), st.sampled_from([JSON, STREAM, "application/jsonl", ""])
)
def test_any_bytes_can_be_kept_and_never_take_much_room(portions: list[bytes], content_type: str) -> None:
    body = Body()
    for portion in portions:
        body.add(portion)

    # A byte that is no text becomes a character of three.
    assert len(encode(safe_body(body, content_type, hiding([KEY])))) <= 7 * BODY_BYTES_MAX
    assert body.size == sum(map(len, portions))
