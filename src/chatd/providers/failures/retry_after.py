"""How long a provider asks us to wait, in all the forms in which they say it (pure)."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# A longer time is a mistake of the provider.
SECONDS_MAX = 366 * 86400.0

# A value that is longer than this says nothing.
_CHARACTERS_MAX = 100
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PIECES = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)", re.ASCII)
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ms|h|m|s)){1,4}", re.ASCII)
_IN_WORDS = re.compile(rf"(?:try again|retry) in ({_DURATION.pattern})(?![a-z])", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# Larger numbers are instants in milliseconds, smaller ones in seconds; and what is no instant is a duration.
_EPOCH_MILLISECONDS = 10**11
_EPOCH_SECONDS = 10**9

# By their rank.
_IN_MILLISECONDS = ("retry-after-ms", "x-ms-retry-after-ms")
_IN_SECONDS = ("retry-after", "x-retry-after")
# LiteLLM hands on under names of its own what the provider behind it says.
_RELAYED = "llm_provider-"

# Headers that say when a limit begins anew, and headers that say what is left of it.
_RESETS = (
    (re.compile(r"(?P<before>(?:x-)?ratelimit)-reset(?P<after>-.+)?"), "{before}-remaining{after}"),
    (re.compile(r"(?P<before>anthropic-ratelimit-.+)-reset(?P<after>)"), "{before}-remaining{after}"),
)


def retry_after(
    headers: Mapping[str, str], *, retry_delay: str = "", text: str = "", limited: bool = False, now: datetime
) -> float | None:
    """In seconds. The names of headers are in lower case. Whatever makes no sense says nothing.

    `text` is what the provider says, in lower case. When it is `limited`, limits that are used up count too;
    otherwise they are not why it failed.
    """
    relayed = _relayed(headers)
    candidates = (
        *_waits(headers, now),
        *_waits(relayed, now),
        _duration(retry_delay),
        max(_resets({**relayed, **headers}, now), default=None) if limited else None,
        _in_words(text),
    )
    wait = next((seconds for seconds in candidates if seconds is not None and seconds > 0), None)
    return min(wait, SECONDS_MAX) if wait is not None else None


def _waits(headers: Mapping[str, str], now: datetime) -> Iterator[float | None]:
    yield from (_milliseconds(headers.get(name, "")) for name in _IN_MILLISECONDS)
    yield from (_moment(headers.get(name, ""), now) for name in _IN_SECONDS)


def _relayed(headers: Mapping[str, str]) -> dict[str, str]:
    """What a gateway was told itself, by its usual names."""
    return {
        name.removeprefix(_RELAYED): value for name, value in headers.items() if name.startswith(_RELAYED)
    }


def instant(text: str) -> datetime | None:
    """A date of HTTP, or one as in RFC 3339."""
    if len(text) > _CHARACTERS_MAX:
        return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            then = parse(text)
            # Some parse well and lie outside of what can be reckoned with.
            then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
            return then.astimezone(UTC)
        except (ValueError, IndexError, TypeError, OverflowError):
            continue
    return None


def _resets(headers: Mapping[str, str], now: datetime) -> Iterator[float]:
    """Of all limits that are used up."""
    for name, value in headers.items():
        for pattern, remaining in _RESETS:
            if not (found := pattern.fullmatch(name)):
                continue
            left = remaining.format(before=found["before"], after=found["after"] or "")
            wait = _moment(value, now)
            if _number(headers.get(left, "")) == 0 and wait is not None:
                yield wait


def _moment(text: str, now: datetime) -> float | None:
    """Seconds from now until then: a number, a duration, a date of HTTP, or an instant."""
    text = text.strip()
    number = _number(text)
    if number is not None:
        if number >= _EPOCH_MILLISECONDS:
            return number / 1000 - now.timestamp()
        return number - now.timestamp() if number >= _EPOCH_SECONDS else number
    if (seconds := _duration(text)) is not None:
        return seconds
    then = instant(text)
    return (then - now).total_seconds() if then is not None else None


def _milliseconds(text: str) -> float | None:
    number = _number(text)
    return number / 1000 if number is not None else None


def _in_words(text: str) -> float | None:
    found = _IN_WORDS.search(text)
    return _duration(found[1]) if found else None


def _duration(text: str) -> float | None:
    text = text.strip()
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in _PIECES.findall(text))


def _number(text: str) -> float | None:
    text = text.strip()
    if len(text) > _CHARACTERS_MAX or not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
