"""What people read when something went wrong, and who is named in it."""

import errno
import re
import socket
import ssl

import aiohttp
import pytest

from chatd.agent.generation.retry import GiveUp, after_failure, failure_of
from chatd.catalog.models.rows import ProviderType
from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.events import Finished, Refusal, Stop
from chatd.providers.failures.faults import FAULTS, TRIES, displayed, sentence
from tests.providers.failures.words import answered, error
from tests.traceability import proves

PROVIDERS = [None, "anthropic", "my-gateway", "scripted"]
# Words for those who build such things, and not for those who use them.
JARGON = re.compile(
    r"\b(api|http|json|sse|tcp|tls|eof|null|none|token|tokens|stream|payload|backoff|upstream|exception|"
    r"timeout|config|auth|server error|status|5\d\d|4\d\d)\b",
    re.IGNORECASE,
)
DOING = re.compile(
    r"\b(ask|check|choose|send|summarize|remove|add|try|start|go on|look)\b.*\.", re.IGNORECASE
)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_error_is_a_sentence_for_people(fault: str, provider: str | None) -> None:
    for retryable in (True, False):
        text = failures.failed(fault, provider=provider, retryable=retryable).message

        assert text[0].isupper()
        assert text.endswith(".")
        assert ".." not in text
        assert "  " not in text
        assert JARGON.findall(text) == []
        assert not re.search(r"[{}_\d]", text)
        assert len(text) <= 300
        # Nothing more happens by itself: then people are told what to do. Otherwise they only wait.
        assert bool(DOING.search(text.partition(". ")[2])) is not retryable


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_promises_nothing_and_asks_for_nothing(fault: str) -> None:
    meaning = FAULTS[fault]

    assert sentence(meaning, None, retryable=True).count(".") == 1
    assert sentence(meaning, None, retryable=False) == (
        f"{sentence(meaning, None, retryable=True)} {meaning.advice}"
    )


KINDS = {
    "overloaded": True,
    "usage_limit": False,
    "rate_limit": True,
    "auth": False,
    "missing_key": False,
    "config": False,
    "context_too_large": False,
    "content_filter": False,
    "provider_disabled": False,
    "stream_silence_timeout": True,
}


def test_a_kind_is_tried_again_or_not_whatever_the_fault() -> None:
    """But for a deadline of ours, and for `generic`, which is a mixture by its nature."""
    found = {
        meaning.kind: meaning.retryable
        for fault, meaning in FAULTS.items()
        if meaning.kind != "generic" and fault != "deadline"
    }

    assert found == {**KINDS, "timeout": True}


@proves("errors", 10)
def test_our_own_deadline_is_not_tried_again() -> None:
    known = failures.failed("deadline", provider="anthropic")

    assert (known.kind, known.retryable) == ("timeout", False)
    assert known.message == "The answer of Anthropic took too long and was stopped. Send the message again."


@proves("errors", 32)
@pytest.mark.parametrize(
    ("fault", "provider", "text"),
    [
        ("timeout", "anthropic", "Anthropic is temporarily unavailable."),
        ("timeout", None, "The AI provider is temporarily unavailable."),
        ("unavailable", "vercel", "Vercel AI Gateway is temporarily unavailable."),
        ("deadline", "google", "The answer of Google took too long and was stopped. Send the message again."),
        ("stream_silence", "azure", "Azure OpenAI has stopped sending anything."),
        ("stream_silence", None, "The AI provider has stopped sending anything."),
        ("server", "bedrock", "AWS Bedrock reported an unexpected error."),
        ("unknown", "openai", "The call to OpenAI failed unexpectedly. Send the message again."),
        ("unknown", None, "The call to the AI provider failed unexpectedly. Send the message again."),
        ("overloaded", "my-gateway", "The provider my-gateway is overloaded at the moment."),
        ("transport", "my-gateway", "The connection to the provider my-gateway failed."),
        (
            "missing_key",
            "openrouter",
            f"There is no key for OpenRouter. {FAULTS['missing_key'].advice}",
        ),
    ],
)
def test_the_subject_of_a_sentence_is_the_provider(fault: str, provider: str | None, text: str) -> None:
    assert failures.failed(fault, provider=provider).message == text


@proves("errors", 32)
def test_an_empty_account_is_told_without_a_provider() -> None:
    said = {failures.failed("usage_limit", provider=provider).message for provider in PROVIDERS}

    assert len(said) == 1


def test_every_type_of_provider_has_a_name_for_people() -> None:
    assert [type_ for type_ in ProviderType if "the provider" in displayed(type_)] == []


@proves("errors", 33)
def test_while_trying_people_read_what_happened_and_no_advice() -> None:
    busy = answered(429, error("Slow down, or buy more."))

    assert busy.message == "Anthropic limits how often it may be called."
    assert failure_of(busy).message == busy.message
    # There is no failure without a message: what is known of it is a row of the table, if the last one.
    assert (
        failures.in_stream().message
        == "The call to the AI provider failed unexpectedly. Send the message again."
    )


@proves("errors", 22)
def test_an_error_gets_the_name_of_its_provider_and_keeps_the_rest() -> None:
    known = failures.in_stream(code="rate_limit_exceeded", message="Please try again in 20s.", status=429)
    known.request_id = "req_1"

    renamed = failures.named(known, "openai")

    assert (renamed.provider, renamed.message) == ("openai", "OpenAI limits how often it may be called.")
    assert str(renamed) == renamed.message
    assert (renamed.retry_after_seconds, renamed.status_code, renamed.request_id) == (20, 429, "req_1")
    assert (renamed.detail, renamed.fault) == ("Please try again in 20s.", "rate_limit")
    assert failures.named(renamed, "azure").message == "Azure OpenAI limits how often it may be called."


def test_better_words_than_those_of_the_table_stay() -> None:
    own = ProviderError("config", "The model is switched off.", fault="model_not_found")
    foreign = ProviderError("config", "No summary.", fault="something else")

    assert (failures.named(own, "openai").message, own.provider) == ("The model is switched off.", "openai")
    assert (failures.named(foreign, "openai").message, foreign.provider) == ("No summary.", "openai")


def test_an_error_that_is_not_tried_again_after_all_gets_its_advice_with_its_name() -> None:
    known = failures.malformed("no JSON")
    known.retryable = False

    assert failures.named(known, "google").message == (
        "Google sent an answer that could not be read. Send the message again in a while."
    )


@proves("errors", 21)
def test_what_was_classified_already_stays_so_however_it_is_wrapped() -> None:
    silence = failures.silent("anthropic")
    wrapped: Exception = silence
    for _ in range(3):
        broken = aiohttp.ClientPayloadError("500 overloaded")
        broken.__cause__ = wrapped
        wrapped = broken

    known = failures.from_exception(wrapped, phase="stream", provider="anthropic")

    assert known is silence
    assert known.kind == "stream_silence_timeout"


def behind(shown: Exception, cause: Exception) -> Exception:
    shown.__cause__ = cause
    return shown


@pytest.mark.parametrize(
    ("raised", "fault", "detail"),
    [
        (TimeoutError(), "timeout", "No answer came in time."),
        (aiohttp.ConnectionTimeoutError(), "timeout", "No connection could be made in time."),
        (ConnectionResetError(104, "Reset"), "transport", "It closed the connection."),
        (aiohttp.ServerDisconnectedError(), "transport", "It closed the connection."),
        (
            behind(aiohttp.ClientError(), ConnectionRefusedError(111, "Connect call failed")),
            "transport",
            "The connection was refused: nothing listens at its address.",
        ),
        (
            behind(aiohttp.ClientError(), socket.gaierror(-2, "Name or service not known")),
            "transport",
            "Its name could not be resolved. Check the address, and the network of the server.",
        ),
        (
            behind(aiohttp.ClientError(), ssl.SSLError(1, "wrong version number")),
            "transport",
            "No secure connection could be made. Check whether its address should begin with https or http.",
        ),
        (
            behind(aiohttp.ClientError(), OSError(errno.EHOSTUNREACH, "No route to host")),
            "transport",
            "Its host cannot be reached from the server.",
        ),
        (
            aiohttp.ClientPayloadError("Response payload is not completed"),
            "transport",
            "The answer broke off, or was damaged on its way.",
        ),
        # What nobody has words for keeps its name, at the end.
        (aiohttp.ClientError(), "transport", "No connection could be made. ClientError"),
        (
            OSError("https://me:secret@host/?key=secret"),
            "transport",
            "No connection could be made. OSError: https://host/",
        ),
    ],
)
def test_no_answer_at_all_is_tried_again(raised: Exception, fault: str, detail: str) -> None:
    known = failures.from_exception(raised, phase="connect", provider="openai")

    assert (known.fault, known.kind, known.retryable) == (fault, "timeout", True)
    assert (known.detail, known.provider, known.status_code) == (detail, "openai", None)


@proves("errors", 37)
@pytest.mark.parametrize(
    ("refusal", "provider", "text", "detail"),
    [
        (
            Refusal("Cyber/Misuse v2", "It looks dangerous."),
            "anthropic",
            "Anthropic declined to answer this (Cyber/Misuse v2). Try to put it differently.",
            "It looks dangerous.",
        ),
        (
            Refusal("SAFETY"),
            "",
            "The AI provider declined to answer this (SAFETY). Try to put it differently.",
            "SAFETY",
        ),
        (Refusal("  "), "google", "Google declined to answer this. Try to put it differently.", None),
        (None, "", "The AI provider declined to answer this. Try to put it differently.", None),
    ],
)
def test_a_refusal_says_why_in_the_words_of_the_provider(
    refusal: Refusal | None, provider: str, text: str, detail: str | None
) -> None:
    known = failures.refused(Finished(Stop.REFUSED, refusal=refusal), provider)

    assert (known.kind, known.retryable) == ("content_filter", False)
    assert (known.message, str(known), known.detail) == (text, text, detail)
    assert failures.named(known, "openai").message.endswith("Try to put it differently.")


def test_a_refusal_of_which_nothing_is_known_is_one_too() -> None:
    assert failures.refused(None, "openai").message.startswith("OpenAI declined")


@pytest.mark.parametrize(("fault", "tries"), TRIES.items())
def test_what_does_not_get_better_is_tried_again_once_or_twice(fault: str, tries: int) -> None:
    known = failures.failed(fault)

    assert not isinstance(after_failure(known, 1, lambda: 1.0, times=tries - 1), GiveUp)
    assert isinstance(after_failure(known, 2, lambda: 1.0, times=tries), GiveUp)


def test_nothing_to_answer_is_no_mistake() -> None:
    known = failures.named(failures.unanswerable(), "openai")

    assert known.message == "There is nothing in this conversation that OpenAI could answer. Send a message."
    assert (known.kind, known.retryable, known.detail) == ("generic", False, None)


def test_what_cannot_be_sent_or_read_says_what() -> None:
    assert failures.unsendable("no output\nfor a call").detail == "no output for a call"
    assert failures.malformed("x" * 1000).detail == "x" * 499 + "…"
    assert failures.malformed("").detail is None


def test_the_log_has_the_words_that_people_are_spared() -> None:
    known = answered(
        400, error("No tool output found for function call call_abc123. sk-proj-abc123def456ghi789")
    )

    assert "call_abc123" not in f"{known.message} {known.detail}"
    (note,) = known.__notes__
    assert "call_abc123" in note
    assert "abc123def456" not in note


@pytest.mark.parametrize("key", ["AIzaSyD-abcdefgh0123456789", "eyJhbGciOiJIUzI1NiJ9.e30"])
def test_the_log_has_no_keys_in_lower_case_either(key: str) -> None:
    known = answered(400, error(f"The key {key} is from asia-southeast1-aiplatform.googleapis.com."))

    (note,) = known.__notes__
    assert key.lower()[8:] not in note
    assert "asia-southeast1" in note


KEY = "Hunter2-Hunter2"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"Wrong key: {KEY}. Again: {KEY.lower()}", "Wrong key: …. Again: …"),
        # Cut off in the midst of it.
        ("x" * 488 + KEY, "x" * 488 + "…"),
        ("x" * 495 + KEY, "x" * 495 + "Hunt…"),
        ("Wrong key: Hunter.", "Wrong key: Hunter."),
    ],
)
def test_the_very_key_of_a_call_is_not_repeated(said: str, shown: str) -> None:
    known = failures.redacted(answered(401, error(said)), (KEY,))

    assert known.detail == shown
    assert KEY.lower() not in "".join(known.__notes__).lower()


def test_what_is_too_short_for_a_key_stays() -> None:
    assert (
        failures.redacted(answered(401, error("A word is no key.")), ("word",)).detail == "A word is no key."
    )
