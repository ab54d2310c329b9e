"""What is read out of the body of an error, for people and for the rules."""

import pytest

from chatd.domain.part import Json
from chatd.providers.failures.facts import clean, status_in, unwrapped
from tests.providers.failures.words import answered, error, told
from tests.traceability import proves

WRAPPED = 'POST "https://api.example.com/v1/messages": 400 Bad Request '
INNER = '{"type":"error","error":{"type":"invalid_request_error","message":"Too few messages."}}'


@proves("errors", 24)
@proves("model-layer", 145)
@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (error("Within."), "Within."),
        ({"error": {"message": "Within."}, "message": "Without."}, "Within."),
        ({"message": "Without."}, "Without."),
        ({"Message": "As Amazon writes it."}, "As Amazon writes it."),
        ({"detail": "As FastAPI writes it."}, "As FastAPI writes it."),
        ({"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}, "Field required"),
        ({"errors": [{"code": 7003, "message": "No route."}]}, "No route."),
        ({"error": "Only a word."}, "Only a word."),
        ({"error": 17, "message": "Without."}, "Without."),
        ({"error": None}, None),
        ({"error": ["Listed."]}, "Listed."),
        ([{"error": {"message": "As Google writes it.", "status": "INTERNAL"}}], "As Google writes it."),
        ("Only a text.", "Only a text."),
        ({"error": {"message": ""}, "message": "Without."}, "Without."),
        ({"error": {"message": "  "}}, None),
        ({"error": {"message": ["no text"]}}, None),
        ([], None),
        ([17], None),
        (17, None),
        (None, None),
        ({"error": {"message": WRAPPED + INNER}}, "Too few messages."),
        ({"message": WRAPPED + INNER}, "Too few messages."),
    ],
)  # fmt: skip
def test_the_best_sentence_of_a_json_is_the_detail(body: Json, detail: str | None) -> None:
    assert answered(400, body).detail == detail


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        ('{"error":{"message":"The upstream says no."}}', "The upstream says no."),
        ("The upstream says no.", "The upstream says no."),
        ("<html>no</html>", "Provider returned error"),
        ("{half", "Provider returned error"),
        (None, "Provider returned error"),
    ],
)
def test_a_router_that_says_nothing_is_asked_what_it_was_told(raw: Json, detail: str) -> None:
    body = error("Provider returned error", code=502, metadata={"raw": raw, "provider_name": "Somebody"})

    assert answered(502, body).detail == detail


@proves("errors", 24)
@pytest.mark.parametrize(
    ("message", "inner"),
    [
        (WRAPPED + INNER, "Too few messages."),
        ('GET "https://x/{model}/{a}": 404 Not Found {"message":"Gone."}', "Gone."),
        (r'POST "https://x/\"quoted\"{": 404 {"message":"Gone."}', "Gone."),
        (WRAPPED + '{"message":"POST \\"https://y\\": 429 {\\"message\\":\\"Twice.\\"}"}', "Twice."),
        (WRAPPED + "no JSON", WRAPPED + "no JSON"),
        (WRAPPED + '{"a":1}', WRAPPED + '{"a":1}'),
        (WRAPPED + "{broken}", WRAPPED + "{broken}"),
        ('An ordinary sentence: {"message":"not this"}', 'An ordinary sentence: {"message":"not this"}'),
        ("", ""),
    ],
)
def test_the_report_of_a_client_library_is_unwrapped(message: str, inner: str) -> None:
    assert unwrapped(message) == inner


def test_the_codes_within_a_report_count() -> None:
    known = told(WRAPPED.replace("400", "429") + '{"error":{"type":"insufficient_quota","message":"No."}}')

    assert (known.fault, known.status_code, known.detail) == ("usage_limit", 429, "No.")


@proves("errors", 7)
@proves("model-layer", 145)
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<html><body>502 Bad Gateway</body></html>", "text/html; charset=utf-8"),
        (b"<!DOCTYPE html><p>overloaded</p>", "text/plain"),
        (b"  \n<html>quota</html>", ""),
        (b"Bad gateway", "text/HTML"),
        (b"<Error><Code>Overloaded</Code></Error>", "application/xml"),
        (b"\x00\x01overloaded", "application/json"),
        (b"overloaded", "application/octet-stream"),
        (b"\xff\xfe\x9c\x80 overloaded", "text/plain"),
    ],
)
def test_a_page_or_bytes_say_nothing(body: bytes, content_type: str) -> None:
    known = answered(502, body, content_type)

    assert (known.fault, known.detail) == ("unavailable", None)


@proves("errors", 25)
@proves("model-layer", 145)
@pytest.mark.parametrize(
    ("body", "content_type", "detail"),
    [
        (b"The first line.\nThe second.", "text/plain", "The first line."),
        (b"\r\n  The first line. \r\nThe second.", "text/plain", "The first line."),
        (b" \n\t ", "text/plain", None),
        (b"", "text/plain", None),
        (b'{"code":17}', "text/plain", None),
        (b'{"message":"JSON all the same."}', "text/plain", "JSON all the same."),
        (b"\xef\xbb\xbf" + b'{"message":"With a mark."}', "application/json", "With a mark."),
        (b"Plain all the same.", "application/json", "Plain all the same."),
        (b"Nobody says what it is.", "", "Nobody says what it is."),
        # Half of a JSON, of which the rest was too long to be read.
        (b'{"error":{"message":"The', "application/json", None),
        # Latin-1, from very old servers.
        (b"Trop de requ\xeates.", "text/plain", "Trop de requ\ufffdtes."),
    ],
)
def test_of_a_plain_text_the_first_line_is_the_detail(
    body: bytes, content_type: str, detail: str | None
) -> None:
    assert answered(500, body, content_type).detail == detail


def test_half_a_json_still_says_what_it_is_about() -> None:
    assert answered(500, b'{"error":{"type":"overloaded_error","message":"The').kind == "overloaded"


@proves("errors", 26)
@proves("model-layer", 145)
@pytest.mark.parametrize("length", [499, 500, 501, 100_000])
def test_a_detail_has_at_most_five_hundred_characters(length: int) -> None:
    detail = answered(400, error("x" * length)).detail

    assert detail is not None
    assert detail == ("x" * length if length <= 500 else "x" * 499 + "…")


@proves("errors", 27)
def test_a_rejected_key_keeps_what_the_provider_says_and_nothing_else() -> None:
    assert answered(401, error("The key is no longer valid.")).detail == "The key is no longer valid."
    assert answered(401, b"<html>Login</html>", "text/html").detail is None
    assert answered(401, b'{"half', "application/json").detail is None


@proves("errors", 36)
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        (" a \n\t b\r\n c ", "a b c"),
        ("a\u2028b\x07c\u202ed", "a b cd"),
        ("Get https://me:secret@host:8443/a/b?key=secret#secret failed", "Get https://host:8443/a/b failed"),
        ('Get "https://secret@host/a?b=secret": EOF', 'Get "https://host/a": EOF'),
        ("wss://me:secret@host", "wss://host"),
        ("(http://host/a#secret)", "(http://host/a"),
        ("/v1/models?key=secret&alt=sse", "/v1/models?key=…&alt=sse"),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer …"),
        ("Incorrect API key provided: sk-proj-abc123def456ghi789.", "Incorrect API key provided: sk…."),
        ("AIzaSyA1234567890abcdefg is no key", "AIza… is no key"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA…"),
        # These only look like keys.
        ("key_of_a_very_long_dictionary", "key_of_a_very_long_dictionary"),
        ("keyboardinterruptexception", "keyboardinterruptexception"),
        ("half a pair: \ud83d.", "half a pair: \ufffd."),
        ("a whole one: \U0001f600", "a whole one: \U0001f600"),
    ],
)
def test_what_people_read_is_one_line_without_secrets(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_secret_that_is_pushed_to_the_edge_does_not_show() -> None:
    assert "secret" not in clean(" " * 3000 + "x" * 480 + " https://me:secret@host/")
    assert "hunter2" not in clean("https://" + "u" * 6000 + ":hunter2@host/")


@proves("errors", 30)
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("status 429", 429),
        ("status code: 503", 503),
        ("status code 503", 503),
        ("status_code=503", 503),
        ("http 502", 502),
        ('POST "https://host:503/": 429 Too Many Requests', 429),
        ("HTTP/1.1 502 Bad Gateway", 502),
        ("status 418", 418),
        ("it said 503.", 503),
        ("503: no", 503),
        ("(500)", 500),
        ("first 429, then 503", 429),
        ("a 500 and then status 429", 429),
        ("dial tcp 10.0.0.1:503: connection refused", None),
        ("10.0.0.503", None),
        ("stream ID 401; CANCEL", None),
        ("stream ID=401; CANCEL", None),
        ("stream ID 401; then status 429", 429),
        ("stream ID 401; then 429", 429),
        ("call_429", None),
        ("4291", None),
        ("1429", None),
        ("500 tokens", None),
        ("500.5", None),
        ("1,500", None),
        ("$500", None),
        ("404", None),
        ("too many requests", None),
        ("unauthorized", None),
        ("", None),
    ],
)
def test_a_status_is_found_in_a_text(text: str, status: int | None) -> None:
    assert status_in(text) == status


@pytest.mark.parametrize(
    ("headers", "body", "request_id"),
    [
        ({"request-id": "req_1"}, {}, "req_1"),
        ({"X-Request-Id": "req_1"}, {}, "req_1"),
        ({"apim-request-id": "req_1"}, {}, "req_1"),
        ({"x-amzn-RequestId": "req_1"}, {}, "req_1"),
        ({"x-my-gateway-request-id": "req_1"}, {"request_id": "req_2"}, "req_1"),
        ({}, {"request_id": "req_2"}, "req_2"),
        ({}, {"request_id": 17}, None),
        ({}, {"id": "gen-1", "error": {"code": 400}}, "gen-1"),
        ({"request-id": "x" * 1000}, {}, "x" * 200),
        # Of a safe alphabet: it is logged, and people copy it into other programs.
        ({"request-id": "req 1\x1b[31m\u202e;$(rm)"}, {}, "req131mrm"),
        ({"request-id": "\u2026"}, {}, None),
        ({"request-id": "00-4bf92f35/77:b3+a=_.1"}, {}, "00-4bf92f35/77:b3+a=_.1"),
        ({"request-id": "sk-ant-0123456789abcdef"}, {}, None),
        ({}, {"request_id": "AIzaSyA0123456789abcdef"}, None),
        ({}, {}, None),
    ],
)
def test_the_provider_finds_the_call_again_by_its_id(
    headers: dict[str, str], body: Json, request_id: str | None
) -> None:
    assert answered(400, body, headers=headers).request_id == request_id
