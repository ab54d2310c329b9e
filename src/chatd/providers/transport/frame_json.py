"""The JSON of frames: read strictly and fast, and once more leniently where that fails (pure).

Whatever is wrong with a frame is a DecodeError here, and nothing else. Parts of it are kept and sent back, so
it may not be nested more deeply than everything that handles it later can follow.
"""

import json
from itertools import accumulate
from typing import Final, Generic, TypeVar

import msgspec

from chatd.kit import codec
from chatd.kit.text import valid_json

T = TypeVar("T")

NESTED_MAX = 128
# Every level is opened and closed, so that a text as short as this has twice as many at most. That can still
# be followed, and it spares the many small frames a closer look.
_SHORT_BYTES = 4 * NESTED_MAX

_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_NOT_JSON: Final = object()
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class FrameDecoder(Generic[T]):
    """Decodes and validates one type. Made once, used often."""

    def __init__(self, type_: type[T]) -> None:
        self._strict = msgspec.json.Decoder(type_).decode
        self._loose = codec.Decoder(type_).decode

    def decode(self, data: bytes) -> T:
        """Raises msgspec.DecodeError; msgspec.ValidationError, which is one, where it is JSON at least."""
        if len(data) > _SHORT_BYTES and is_too_deep(data):
            raise msgspec.DecodeError(f"nested more than {NESTED_MAX} times")
        try:
            return self._strict(data)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            return self._leniently(data)

    def _leniently(self, data: bytes) -> T:
        # Servers cut characters in two. What cannot be read becomes a mark that says so.
        text = data.decode("utf-8", "replace")
        try:
            return self._loose(text)
        except msgspec.ValidationError:
            try:
                value = json.loads(text, parse_float=codec.finite)
            except ValueError:
                value = _NOT_JSON
            if value is _NOT_JSON:
                raise
        # Half a character, written as an escape, where a part of the frame is to be kept as it is.
        return self._strict(msgspec.json.encode(valid_json(value)))


def is_too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= NESTED_MAX:
        return False
    brackets = codec.without_strings(data).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > NESTED_MAX
