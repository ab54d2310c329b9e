"""Bodies by someone who wishes us ill, or whose server is beyond help."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.kit.codec import encode
from chatd.providers import failures
from chatd.providers.failures.facts import CODE_CHARACTERS_MAX, CODES_MAX, said_in
from chatd.providers.failures.faults import FAULTS
from tests.providers.failures.words import answered, error
from tests.traceability import proves

# Far more than any of these needs, and far less than a pattern that goes astray.
SECONDS_MAX = 1.0
KIB = 1024

HOSTILE = {
    "nested lists": b"[" * (64 * KIB),
    "nested objects": b'{"error":' * (7 * KIB),
    "closed nested objects": b'{"error":' * KIB + b"1" + b"}" * KIB,
    "a number without end": b'{"error":{"code":' + b"9" * (60 * KIB) + b"}}",
    "braces in a report": b'POST "u": 400 ' + b"{" * (63 * KIB) + b"}",
    "an address without end": b'POST "' + b"\\" * (60 * KIB),
    "quotes in a report": b'POST "' + b'\\"' * (30 * KIB) + b'": 400 {}',
    "schemes": b"http://" * (9 * KIB),
    "users": b"http://" + b"a:" * (31 * KIB),
    "many users": b"http://a@" * (7 * KIB),
    "keys": b"sk-" * (20 * KIB),
    "long keys": b"sk-" + b"a" * (60 * KIB),
    "bearers": b"bearer " * (9 * KIB),
    "blanks": b"a" + b" " * (63 * KIB) + b"a",
    "digits": b"9" * (64 * KIB),
    "statuses": b"status code: " * (5 * KIB),
    "streams": b"stream id 401 " * (4 * KIB),
    "models": b"model " * (10 * KIB),
    "models on one line": b"model" + b" x" * (30 * KIB),
    "tokens": b"security token " * (4 * KIB),
    "contexts": b"maximum context length is 4096 tokens " * KIB,
    "prompts": b"prompt contains 1 tokens" * (2 * KIB),
    "items": b"item with id " * (5 * KIB) + b"x" * KIB,
    "durations": b"try again in " + b"1h" * (30 * KIB),
    "half surrogates": b'{"message":"' + b"\\ud800" * (10 * KIB) + b'"}',
    "no UTF-8": b"\xff" * (64 * KIB),
    "nulls": b"\x00" * (64 * KIB),
    "codes": encode({"error": {"details": [{"code": f"c{n}" * 100} for n in range(1000)]}}),
    "texts": encode([{"a": [["b"] * 20] * 200}] * 20),
}


def check(known: ProviderError) -> None:
    """Whatever it was, people get a sentence, and everything is bounded and can be stored."""
    assert known.fault in FAULTS
    assert known.message[0].isupper()
    assert len(known.message) < 400
    assert len(known.detail or "") <= 500
    assert "\n" not in (known.detail or "")
    assert len(known.request_id or "") <= 200
    assert known.retry_after_seconds is None or known.retry_after_seconds > 0
    (known.message + (known.detail or "")).encode("utf-8")
    assert sum(map(len, getattr(known, "__notes__", ()))) < 3000


@proves("model-layer", 145)
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_no_body_takes_long_or_breaks_anything(body: bytes) -> None:
    started = time.process_time()
    # Almost every rule is tried for this status.
    check(answered(500, body))
    check(answered(500, error(body.decode("utf-8", "replace"))))
    check(failures.named(failures.in_stream(message=body.decode("utf-8", "replace")), "anthropic"))

    assert time.process_time() - started < SECONDS_MAX


def test_an_error_within_a_stream_may_be_as_large_as_a_frame() -> None:
    started = time.process_time()
    known = failures.in_stream(code="c" * 10**7, type_="t" * 10**7, message='POST "u": 400 {' * 10**6)

    assert time.process_time() - started < SECONDS_MAX
    check(failures.named(known, "anthropic"))


def test_codes_are_few_and_short() -> None:
    said = said_in(HOSTILE["codes"])

    assert len(said.codes) <= CODES_MAX
    assert max(map(len, said.codes)) <= CODE_CHARACTERS_MAX


def test_half_a_surrogate_does_not_cost_the_rest() -> None:
    assert answered(400, b'{"message":"Half a pair: \\ud83d."}').detail == "Half a pair: \ufffd."


def test_a_text_behind_too_many_doors_is_not_looked_for() -> None:
    deep: Json = "overloaded"
    for _ in range(50):
        deep = [deep]

    assert answered(400, {"error": {"message": "No.", "more": deep}}).fault == "invalid_request"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "detail", "details", "errors", "code", "type", "metadata", "raw",
                 "status", "retryDelay", "innererror", "request_id", "msg", "__type"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(json_values, st.sampled_from([200, 302, 400, 401, 403, 404, 429, 500, 503, 529, 999]))
def test_any_json_is_some_failure(body: Json, status: int) -> None:
    check(answered(status, body))


@given(st.binary(max_size=200), st.text(max_size=20), st.dictionaries(
    st.sampled_from(["retry-after", "retry-after-ms", "date", "x-ratelimit-reset", "x-ratelimit-remaining",
                     "x-should-retry", "request-id", "x-amzn-errortype"]),
    st.text(max_size=30),
))  # fmt: skip
def test_any_bytes_with_any_headers_are_some_failure(
    body: bytes, content_type: str, headers: dict[str, str]
) -> None:
    check(answered(429, body, content_type, headers=headers))


@given(st.text(), st.text(max_size=20), st.integers(-1, 1000) | st.none())
def test_any_text_within_a_stream_is_some_failure(message: str, code: str, status: int | None) -> None:
    check(failures.in_stream(code=code, message=message, status=status))
