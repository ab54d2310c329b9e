"""What went wrong at a provider, as a typed error. The rest of the model layer knows only these functions."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import structlog
from msgspec.structs import replace
from prometheus_client import Counter

from chatd.errors import ProviderError
from chatd.kit.text import shortened
from chatd.providers.events import Finished, Refusal
from chatd.providers.failures.classify import Clues, fault_of
from chatd.providers.failures.context_size import context_size
from chatd.providers.failures.facts import Said, clean, named_status, said_by, said_in, status_in
from chatd.providers.failures.faults import FAULTS, LATER, Meaning, displayed, sentence
from chatd.providers.failures.network import TRUST_ANOTHER, explained, is_untrusted
from chatd.providers.failures.request_ids import request_id_in, safe_request_id
from chatd.providers.failures.retry_after import instant, retry_after
from chatd.providers.failures.secrets import without_keys, without_secrets

log = structlog.get_logger()

UNCLASSIFIED = Counter(
    "chatd_provider_errors_unclassified",
    "Failures of providers that no rule knows: each is a rule to be written.",
    ["provider"],
)
# Said instead of the provider's own text, which would name things that only it knows.
REPLAY_DETAIL = "provider_history_mismatch"

# Of the provider's own words, for the log.
NOTE_CHARACTERS_MAX = 2000
CODES_CHARACTERS_MAX = 500
WRAPPINGS_MAX = 8

_OVERRIDES = {"true": True, "false": False}
_STATUSES = range(100, 600)


def failed(
    fault: str,
    *,
    provider: str | None = None,
    says: str | None = None,
    detail: str | None = None,
    status: int | None = None,
    retry_after_seconds: float | None = None,
    retryable: bool | None = None,
    context: tuple[int | None, int | None] = (None, None),
) -> ProviderError:
    """The error for a fault that is known. `says` replaces the sentence of the table.

    `context` is how many tokens the prompt had, and how many it may have.
    """
    meaning = FAULTS[fault]
    again = meaning.retryable if retryable is None else retryable
    return ProviderError(
        meaning.kind,
        says or sentence(meaning, provider, retryable=again),
        fault=fault,
        retryable=again,
        retry_after_seconds=retry_after_seconds,
        status_code=status,
        provider=provider or None,
        detail=detail or None,
        context_used=context[0],
        context_max=context[1],
    )


def named(error: ProviderError, provider: str) -> ProviderError:
    """The same error with the name of this provider, which decoders do not know."""
    meaning = FAULTS.get(error.fault)
    # Better words than those of the table stay.
    if meaning is not None and error.message in _wordings(meaning, error.provider):
        _word(error, sentence(meaning, provider, retryable=error.retryable))
    error.provider = provider or error.provider
    return error


def keyless(error: ProviderError) -> ProviderError:
    """The same error, of a call that was made without a key: there was none that could be rejected."""
    if error.fault == "auth":
        meaning = FAULTS["missing_key"]
        error.kind, error.fault, error.retryable = meaning.kind, "missing_key", meaning.retryable
        _word(error, sentence(meaning, error.provider))
    return error


def given_up(error: ProviderError) -> ProviderError:
    """The same error, when nothing more is tried by itself: now people need to know what they can do."""
    if not error.retryable:
        return error  # It has its advice.
    meaning = FAULTS.get(error.fault)
    advice = meaning.advice if meaning is not None else LATER
    if advice not in error.message:
        _word(error, f"{error.message} {advice}")
    return error


def redacted(error: ProviderError, keys: Sequence[str]) -> ProviderError:
    """The same error, without the very keys that the call was made with. Some providers repeat them."""
    _word(error, without_keys(error.message, keys))
    error.detail = without_keys(error.detail, keys) if error.detail else error.detail
    error.request_id = safe_request_id(error.request_id, keys) if error.request_id else None
    notes: list[str] = getattr(error, "__notes__", [])
    notes[:] = [without_keys(note, keys) for note in notes]
    return error


def _wordings(meaning: Meaning, provider: str | None) -> tuple[str, ...]:
    return tuple(sentence(meaning, provider, retryable=retryable) for retryable in (True, False))


def _word(error: ProviderError, message: str) -> None:
    error.message = message
    error.args = (message,)


def in_stream(
    *, code: str = "", type_: str = "", message: str = "", status: int | None = None
) -> ProviderError:
    """An error that the provider reported in the middle of its answer."""
    said = said_by(message, (code, type_))
    # A number that merely stands in a sentence is less than a word that the provider has for it.
    found = _status(status) or _status(code) or (named_status(message) if said.codes else status_in(message))
    wait = retry_after({}, text=said.text, now=datetime.now(UTC))
    return _classified(said, found, provider=None, wait=wait)


def from_response(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    provider: str,
    keys: Sequence[str] = (),
    now: datetime | None = None,
) -> ProviderError:
    """What an answer with an error status means. The call was made with these keys."""
    given = {name.lower(): value for name, value in headers.items()}
    said = said_in(body, given.get("content-type", ""))
    exception = given.get("x-amzn-errortype", "").partition(":")[0].strip().lower()
    if exception:
        said = replace(said, codes=said.codes | {exception})
    wait = retry_after(
        given,
        retry_delay=said.retry_delay,
        text=said.text,
        limited=status == 429,  # noqa: PLR2004
        now=now or instant(given.get("date", "")) or datetime.now(UTC),
    )
    error = _classified(said, status, provider=provider, wait=wait)
    error.request_id = safe_request_id(request_id_in(given) or said.request_id, keys)
    override = _OVERRIDES.get(given.get("x-should-retry", "").strip().lower())
    return error if override is None else _overridden(error, retryable=override)


def from_exception(error: Exception, *, phase: str, provider: str) -> ProviderError:
    """What it means that there is no answer, or only a part of one."""
    if (known := _known(error)) is not None:
        return named(known, provider)
    if is_untrusted(error):
        return failed("untrusted", provider=provider, detail=TRUST_ANOTHER)
    fault = "timeout" if isinstance(error, TimeoutError) else "transport"
    return failed(fault, provider=provider, detail=clean(explained(error, phase)))


def _known(error: BaseException | None) -> ProviderError | None:
    """Something that was classified already, however often it was wrapped since."""
    for _ in range(WRAPPINGS_MAX):
        if error is None or isinstance(error, ProviderError):
            return error
        error = error.__cause__
    return None


def broke_off() -> ProviderError:
    """The stream ended before the answer did."""
    return failed("incomplete_stream")


def malformed(what: str) -> ProviderError:
    """The provider said something that makes no sense in its own format."""
    return failed("invalid_response", detail=clean(what))


def unsendable(what: str) -> ProviderError:
    """This history is in no form that the provider would accept."""
    return failed("replay_mismatch", detail=clean(what))


def unanswerable() -> ProviderError:
    """There is nothing in this history that could be answered. Nothing was sent."""
    return failed("nothing_to_answer")


def silent(provider: str) -> ProviderError:
    """The provider has not said anything for too long."""
    return failed("stream_silence", provider=provider)


def nothing_said(provider: str) -> ProviderError:
    """The model has finished, and there is nothing that people could read, and no call."""
    return failed("empty_answer", provider=provider)


def refused(finished: Finished | None, provider: str) -> ProviderError:
    """The provider would not let the model answer, and nothing was said that people could read."""
    refusal = (finished.refusal if finished is not None else None) or Refusal()
    category = clean(refusal.category)
    name = displayed(provider)
    says = f"{name[:1].upper()}{name[1:]} declined to answer this ({category}). Try to put it differently."
    return failed(
        "content_filter",
        provider=provider,
        says=says if category else None,
        detail=clean(refusal.explanation) or category,
    )


def _classified(
    said: Said, status: int | None, *, provider: str | None, wait: float | None = None
) -> ProviderError:
    clues = Clues(status=status, codes=said.codes, message=said.message.lower(), text=said.text)
    fault = fault_of(clues)
    if fault == "unknown":
        UNCLASSIFIED.labels(provider or "").inc()
        # Its codes are in the note below: they may be anything, and here nothing is known of the call's key.
        log.warning("provider.unclassified", provider=provider, status=status)
    error = failed(
        fault,
        provider=provider,
        detail=REPLAY_DETAIL if fault == "replay_mismatch" else said.message,
        status=status,
        retry_after_seconds=wait,
        context=_context(said) if fault == "context_too_large" else (None, None),
    )
    if said.text:
        # Seen in the traceback in the log, and nowhere else.
        error.add_note(f"The provider said: {shortened(without_secrets(said.text), NOTE_CHARACTERS_MAX)}")
    if fault == "unknown" and said.codes:
        codes = without_secrets(", ".join(sorted(said.codes)))
        error.add_note(f"Its codes: {shortened(codes, CODES_CHARACTERS_MAX)}")
    return error


def _context(said: Said) -> tuple[int | None, int | None]:
    """How large a prompt was and might have been: in words, or else in a field."""
    used, most = context_size(said.text)
    return used, most or said.context_max


def _overridden(error: ProviderError, *, retryable: bool) -> ProviderError:
    """The provider knows whether another try makes sense."""
    error.retryable = retryable
    _word(error, sentence(FAULTS[error.fault], error.provider, retryable=retryable))
    return error


def _status(number: int | str | None) -> int | None:
    """Some put the status where others have a word; and some put there whatever they have."""
    if isinstance(number, str):
        number = int(number) if len(number) == 3 and number.isascii() and number.isdecimal() else None  # noqa: PLR2004
    return number if number in _STATUSES else None
