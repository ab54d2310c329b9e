"""How long a provider wants us to wait."""

from datetime import UTC, datetime

import pytest

from chatd.providers import failures
from chatd.providers.failures.retry_after import SECONDS_MAX, instant
from tests.traceability import proves

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
EPOCH = int(NOW.timestamp())


def wait(headers: dict[str, str], body: bytes = b"", *, status: int = 429) -> float | None:
    return failures.from_response(status, headers, body, provider="openai", now=NOW).retry_after_seconds


@proves("errors", 23)
@proves("model-layer", 139)
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After-Ms": "1500.5", "RETRY-AFTER": "9"}, 1.5005),
        ({"retry-after": "9"}, 9),
        ({"Retry-After": "0.25"}, 0.25),
        ({"retry-after": " 7 "}, 7),
        ({"retry-after": "Sun, 15 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 15 Nov 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "Sun, 15 Nov 2026 11:59:30 GMT"}, None),
        ({"retry-after": "2026-11-15T12:01:00Z"}, 60),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1_000"}, None),
        ({"retry-after": "١٢"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "9" * 60_000}, None),
        ({"retry-after": "1e30"}, None),
        ({"retry-after-ms": "0", "retry-after": "9"}, 9),
        ({"retry-after-ms": "-1", "retry-after": "9"}, 9),
        ({"retry-after-ms": "nan", "retry-after": "9"}, 9),
        ({"retry-after-ms": "later", "retry-after": "9"}, 9),
        ({"retry-after": "Sun, 99 Nov 2026 12:00:30 GMT"}, None),
        ({"retry-after": "0001-01-01T00:00:00+23:59"}, None),
        # What LiteLLM was told itself, under a name of its own; what it says itself comes first.
        ({"llm_provider-retry-after": "7"}, 7),
        ({"LLM_Provider-Retry-After-Ms": "1500", "llm_provider-retry-after": "7"}, 1.5),
        ({"llm_provider-retry-after": "7", "retry-after": "9"}, 9),
        ({"llm_provider-retry-after-ms": "1500", "retry-after": "9"}, 9),
        ({"llm_provider-retry-after": "7", "retry-after": "soon"}, 7),
        ({"x-retry-after": "5"}, 5),
        ({"x-ms-retry-after-ms": "2500"}, 2.5),
        ({}, None),
    ],
)
def test_milliseconds_beat_seconds_and_nonsense_says_nothing(
    headers: dict[str, str], seconds: float | None
) -> None:
    if headers.get("retry-after") == "1e30":
        # An instant that will never come.
        assert wait(headers) == SECONDS_MAX
    else:
        assert wait(headers) == seconds


GOOGLE = b"""[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow down.", "details": [
    {"@type": "type.googleapis.com/google.rpc.Help"},
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}}]"""


@proves("model-layer", 140)
@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({}, GOOGLE, 34.5),
        ({"retry-after": "9"}, GOOGLE, 9),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9"}, GOOGLE, 34.5),
        ({}, GOOGLE.replace(b'"34.5s"', b"17"), None),
        ({}, GOOGLE.replace(b"34.5s", b"a while"), None),
        # OpenAI: durations, of the limit that is used up.
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, b"", 360),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, b"", 0.12),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s"}, b"", None),
        ({"x-ratelimit-reset-tokens": "6m0s"}, b"", None),
        # Through LiteLLM.
        (
            {
                "llm_provider-x-ratelimit-remaining-requests": "0",
                "llm_provider-x-ratelimit-reset-requests": "6m0s",
            },
            b"",
            360,
        ),
        (
            {
                "llm_provider-x-ratelimit-remaining-requests": "3",
                "llm_provider-x-ratelimit-reset-requests": "6m0s",
            },
            b"",
            None,
        ),
        (
            {
                "x-ratelimit-remaining-requests": "9",
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "1m30.5s",
            },
            b"",
            90.5,
        ),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "2s",
            },
            b"",
            2,
        ),
        # Anthropic: instants.
        (
            {
                "Anthropic-RateLimit-Input-Tokens-Remaining": "0",
                "Anthropic-RateLimit-Input-Tokens-Reset": "2026-11-15T12:00:42Z",
            },
            b"",
            42,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-11-15T11:00:00Z",
            },
            b"",
            None,
        ),
        # OpenRouter and others: seconds or milliseconds since 1970, or just seconds.
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(EPOCH + 5)}, b"", 5),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(EPOCH * 1000 + 5500)}, b"", 5.5),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "11"}, b"", 11),
        # In words only.
        ({}, b"Rate limit reached. Please try again in 1m2.5s. Visit us.", 62.5),
        ({}, b"Please retry in 34.074824224s.", 34.074824224),
        ({}, b"Please try again in 450ms", 0.45),
        ({}, b"Please try again in 5 seconds", None),
        ({}, b"Please try again in 5sheep", None),
    ],
)
def test_limits_say_when_they_begin_anew(headers: dict[str, str], body: bytes, seconds: float | None) -> None:
    found = wait(headers, body)

    assert found == (pytest.approx(seconds) if seconds is not None else None)


def test_a_limit_counts_only_where_it_is_the_reason() -> None:
    spent = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}

    assert wait(spent, status=500) is None
    assert wait({**spent, "retry-after": "3"}, status=503) == 3


def test_the_words_of_an_error_within_a_stream_count_too() -> None:
    error = failures.in_stream(code="rate_limit_exceeded", message="Please try again in 1.5s.")

    assert error.retry_after_seconds == 1.5


@pytest.mark.parametrize("date", ["Sun, 15 Nov 2026 11:59:50 GMT", "Sun, 15 Nov 2026 11:59:50 -0000"])
def test_the_provider_looks_at_its_own_clock(date: str) -> None:
    headers = {"date": date, "retry-after": "Sun, 15 Nov 2026 12:00:00 GMT"}

    assert failures.from_response(503, headers, b"", provider="openai").retry_after_seconds == 10


def test_without_a_clock_of_its_own_ours_counts() -> None:
    headers = {"date": "never", "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}

    assert failures.from_response(503, headers, b"", provider="openai").retry_after_seconds is None


@pytest.mark.parametrize(
    "text", ["", "x", "2026", "9999-99-99", "Mon, 1 Jan 99999 00:00:00 GMT", "2" * 10_000]
)
def test_what_is_no_instant_is_none(text: str) -> None:
    assert instant(text) is None or text == "2026"


@proves("errors", 23)
@pytest.mark.parametrize(
    ("said", "status", "retryable"),
    [("true", 400, True), ("TRUE", 401, True), ("false", 503, False), ("maybe", 503, True), ("", 400, False)],
)
def test_a_provider_that_says_whether_to_try_again_is_believed(
    said: str, status: int, *, retryable: bool
) -> None:
    error = failures.from_response(status, {"x-should-retry": said}, b"", provider="openai", now=NOW)

    assert error.retryable is retryable
    # Advice is for those who are not tried again.
    assert error.message.count(".") == (1 if retryable else 2)
