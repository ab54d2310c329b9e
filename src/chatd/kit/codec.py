"""JSON in and out, for everything that is stored or sent.

msgspec is strict about Unicode: it refuses text with lone surrogates. Models and
tools produce such text now and then, and a chat must never be lost over it, so both
directions have a second, slower way that keeps every code point. In JSON a lone
surrogate and a NUL are plain ASCII escapes, which is why the encoded text fits into
a TEXT column of either database as it is.
"""

import json
import math
import re
from typing import Generic, NoReturn, TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """The value as compact JSON."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        # There is no NaN in JSON, though json.dumps writes one. As msgspec does, we write null.
        finite = json.loads(json.dumps(msgspec.to_builtins(value)), parse_constant=lambda _: None)
        return json.dumps(finite, separators=(",", ":")).encode("ascii")


def encode_text(value: object) -> str:
    """The value as compact JSON, as text for a database column."""
    return encode(value).decode("utf-8")


def as_text(value: object) -> str:
    """Text as it is, any other value as compact JSON."""
    return value if isinstance(value, str) else encode_text(value)


class Decoder(Generic[T]):
    """Decodes and validates one type. Made once, used often."""

    def __init__(self, type_: type[T]) -> None:
        self._type = type_
        self._strict = msgspec.json.Decoder(type_)

    def decode(self, text: str | bytes) -> T:
        """Raises msgspec.DecodeError or msgspec.ValidationError when the text is not what we expect."""
        try:
            return self._strict.decode(text)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            # Either not JSON at all, or JSON with lone surrogates, which only json.loads reads. It would
            # also guess at other encodings, take NaN for a number and a number too large for infinity: none
            # of this is JSON.
            try:
                text = text if isinstance(text, str) else text.decode("utf-8")
                loose = json.loads(text, parse_float=finite, parse_constant=_refuse)
            except ValueError:
                loose = _NOT_JSON
            if loose is _NOT_JSON:
                raise
            try:
                return msgspec.convert(loose, self._type)
            except UnicodeEncodeError as error:
                # msgspec looked at the text as something other than text.
                raise msgspec.ValidationError("Lone surrogate where no text is expected") from error


# A text that is cut off inside a string ends there. Nothing is given back once it was matched: otherwise each
# escaped quote of such a text would be tried as the beginning of another string, up to the end.
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def without_strings(text: bytes) -> bytes:
    """What is left of JSON without its strings, in time linear in its length, whether it is JSON or not."""
    return _STRINGS.sub(b"", text)


_NOT_JSON = object()


def finite(digits: str) -> float:
    """A number that is too large for us is not infinity. Raises ValueError."""
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


# Marks a column whose text had to be spelled as JSON.
_SPELLED = "\ue000"


def to_column(text: str) -> str:
    """Any text as text that both databases store: PostgreSQL knows no NUL, and UTF-8 no lone surrogate."""
    if text.isascii() and "\0" not in text:
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SPELLED + json.dumps(text)
    return _SPELLED + json.dumps(text) if "\0" in text or text.startswith(_SPELLED) else text


def from_column(stored: str) -> str:
    """The text that `to_column` was given."""
    if not stored.startswith(_SPELLED):
        return stored
    text = json.loads(stored.removeprefix(_SPELLED))
    assert isinstance(text, str)
    return text
