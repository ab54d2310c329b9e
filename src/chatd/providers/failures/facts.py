"""What a provider really said: its own sentence, its codes, and a status hidden in text (pure).

What comes in is the provider's and may be anything: huge, half, nested without end, or no text at all.
Everything that goes out is bounded.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.kit.text import one_line, shortened, valid_text
from chatd.providers.failures.context_keys import context_limit_in
from chatd.providers.failures.secrets import without_secrets

DETAIL_CHARACTERS_MAX = 500
# What is looked at.
TEXT_CHARACTERS_MAX = 64 * 1024
# What is searched for words, which is slow. No provider explains a failure at greater length.
SEARCHED_CHARACTERS_MAX = 16 * 1024
CODE_CHARACTERS_MAX = 100
CODES_MAX = 16
# How often a report may be wrapped in another one.
WRAPPINGS_MAX = 4
_TEXTS_MAX = 500
_DEPTH_MAX = 12
# Before it is made fit to be shown, which is done character by character.
_CLEANED_CHARACTERS_MAX = 4 * DETAIL_CHARACTERS_MAX

# Where gateways repeat what they were sent. Whatever a user wrote says nothing about a failure.
_ECHOES = frozenset({"input", "ctx", "request", "messages", "prompt", "body", "param", "loc", "url"})
_CODE_NAMES = ("code", "type", "status", "reason", "__type")
# The last one is OpenRouter's.
_REQUEST_ID_NAMES = ("request_id", "requestId", "id")
_MARKUP = ("html", "xml")
_OPAQUE = re.compile(r"(?:image|audio|video|font)/|application/(?:octet-stream|grpc|pdf|zip|gzip)")
# Said by a gateway that knows more, and says it elsewhere.
_EMPTY_WORDS = frozenset({"provider returned error"})

# The wrapping of some client libraries: METHOD "address": status text {json}.
_WRAPPED = re.compile(r'[A-Z]{3,7} "(?:[^"\\]|\\.){0,4000}": \d{3}\b')

_NAMED_STATUS = re.compile(
    r"(?:\b(?:status(?:[ _]code)?(?: ?[:=])?|http(?:/\d(?:\.\d)?)?) ?|\": )([45]\d\d)(?!\d)", re.IGNORECASE
)
_BARE_STATUS = re.compile(
    r"(?<![\w:.,$#/-])(?<!stream id )(?<!stream id=)(401|403|408|429|500|502|503|504|529)"
    r"(?![\w%]|[.,]\d| ?(?:tokens?|characters?|bytes|seconds|milliseconds|ms|messages|images|pages|lines)\b)",
    re.IGNORECASE,
)


class Said(Struct, frozen=True, kw_only=True):
    """What could be read of an error's body."""

    # For people: clean, and on one line.
    message: str = ""
    # In lower case.
    codes: frozenset[str] = frozenset()
    # Everything that it says, for rules that look for words; in lower case.
    text: str = ""
    retry_delay: str = ""
    # A limit that a field tells, in tokens.
    context_max: int | None = None
    request_id: str = ""


def said_in(body: bytes, content_type: str = "") -> Said:
    text = body.decode("utf-8-sig", "replace").strip()
    parsed = _json(text, otherwise=_NO_JSON)
    if isinstance(parsed, str):
        return said_by(parsed)
    if isinstance(parsed, list):
        parsed = next((each for each in parsed if isinstance(each, dict)), None)
    if isinstance(parsed, dict):
        return _said_in_object(parsed)
    return _said_in_text(text, content_type.lower()) if parsed is _NO_JSON else Said()


def said_by(message: str, codes: Iterable[str] = ()) -> Said:
    """What is said by a sentence that the caller has found already."""
    message = message[:TEXT_CHARACTERS_MAX]
    inner = _object_in(message)
    return Said(
        message=clean(unwrapped(message)),
        codes=_bounded([*codes, *(_codes(inner) if inner is not None else ())]),
        text=_searched(message),
    )


def _said_in_object(body: dict[str, Any]) -> Said:
    message = _message(body)[:TEXT_CHARACTERS_MAX]
    return Said(
        message=clean(unwrapped(message)),
        codes=_bounded(_codes(body)),
        text=_searched(" ".join(islice(_texts(body), _TEXTS_MAX))),
        retry_delay=_retry_delay(body),
        context_max=context_limit_in(body),
        request_id=next(filter(None, (_text(body.get(name)) for name in _REQUEST_ID_NAMES)), ""),
    )


def _said_in_text(text: str, content_type: str) -> Said:
    if text.startswith("<") or any(markup in content_type for markup in _MARKUP):
        # A page of something in between. Its words mean nothing to people, and little to us.
        return Said()
    if _OPAQUE.match(content_type) or "\0" in text or text.count("\ufffd") > max(2, len(text) // 20):
        return Said()
    # Half a JSON is not shown; what it says is still used to classify.
    first = "" if text.startswith(("{", "[")) else text.partition("\n")[0]
    return Said(message=clean(first), text=_searched(text))


def _json(text: str, *, otherwise: object = None) -> Any:
    """The text as JSON."""
    try:
        return _anything.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return otherwise


_NO_JSON = object()
_anything: codec.Decoder[Any] = codec.Decoder(Any)


def _message(body: Mapping[str, Any]) -> str:
    """The best sentence: of the error within, then of the whole; last of lists that some servers make."""
    error = body.get("error")
    inner = error if isinstance(error, dict) else {}
    candidates = (
        _raw(inner) if _text(inner.get("message")).strip().lower() in _EMPTY_WORDS else "",
        inner.get("message"),
        body.get("message"),
        body.get("Message"),
        body.get("detail"),
        error,
        *(_first(body.get(name)) for name in ("detail", "errors", "error")),
    )
    return next((each for each in candidates if isinstance(each, str) and each.strip()), "")


def _raw(error: Mapping[str, Any]) -> str:
    """What OpenRouter was told itself."""
    metadata = error.get("metadata")
    raw = _text(metadata.get("raw")) if isinstance(metadata, dict) else ""
    parsed = _json(raw)
    if isinstance(parsed, dict):
        return _message(parsed)
    return "" if raw.lstrip().startswith(("<", "{", "[")) else raw


def _first(several: Json) -> str:
    """Of the problems that a server lists."""
    first = several[0] if isinstance(several, list) and several else None
    if isinstance(first, dict):
        return _text(first.get("message")) or _text(first.get("msg"))
    return _text(first)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _codes(body: Mapping[str, Any]) -> Iterator[str]:
    """What the provider calls it: in the body, in its error, in that error's details and inner error."""
    error = body.get("error")
    within = error if isinstance(error, dict) else {}
    details = within.get("details")
    inner = within.get("innererror")
    for place in (body, within, inner, *(details[:CODES_MAX] if isinstance(details, list) else ())):
        if isinstance(place, dict):
            # Some write the name of a class, with where it lives.
            yield from (_text(place.get(name)).rpartition("#")[2] for name in _CODE_NAMES)


def _bounded(codes: Iterable[str]) -> frozenset[str]:
    named = (code.strip().lower()[:CODE_CHARACTERS_MAX] for code in codes)
    return frozenset(islice(filter(None, named), CODES_MAX))


def _texts(value: Json, depth: int = 0) -> Iterator[str]:
    """Every text in it that is not a repetition of the request."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _DEPTH_MAX:
        within = (
            (inner for name, inner in value.items() if name not in _ECHOES)
            if isinstance(value, dict)
            else value
        )
        for inner in within:
            yield from _texts(inner, depth + 1)


def _retry_delay(body: Mapping[str, Any]) -> str:
    error = body.get("error")
    details: Json = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(detail.get("retryDelay"), str):
            return str(detail["retryDelay"])
    return ""


def unwrapped(message: str) -> str:
    """The sentence inside of a client library's report, if there is one."""
    for _ in range(WRAPPINGS_MAX):
        inner = _object_in(message)
        words = _message(inner) if inner is not None else ""
        if not words:
            break
        message = words
    return message


def _object_in(message: str) -> dict[str, Any] | None:
    """The JSON at the end of a client library's report. Braces within its address are not meant."""
    message = message.strip()[:TEXT_CHARACTERS_MAX]
    wrapping = _WRAPPED.match(message)
    if wrapping is None or not message.endswith("}"):
        return None
    begin = message.find("{", wrapping.end())
    found = _json(message[begin:]) if begin >= 0 else None
    return found if isinstance(found, dict) else None


def clean(text: str) -> str:
    """For people: on one line, of a bounded length, without what an address or a key would give away."""
    text = " ".join(valid_text(text[:TEXT_CHARACTERS_MAX]).split())
    return shortened(one_line(without_secrets(text)[:_CLEANED_CHARACTERS_MAX]), DETAIL_CHARACTERS_MAX)


def named_status(text: str) -> int | None:
    """A status that a text calls one."""
    found = _NAMED_STATUS.search(text[:TEXT_CHARACTERS_MAX])
    return int(found[1]) if found else None


def status_in(text: str) -> int | None:
    """A status that a text mentions. Neither a port nor the number of a stream is one, nor an amount."""
    if (named := named_status(text)) is not None:
        return named
    found = _BARE_STATUS.search(text[:TEXT_CHARACTERS_MAX])
    return int(found[1]) if found else None


def _searched(text: str) -> str:
    return text[:SEARCHED_CHARACTERS_MAX].lower()
