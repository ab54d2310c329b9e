"""AWS event streams: bytes in any portions become frames (pure).

A message is a prelude (its length, the length of its headers, a checksum of both), headers, a payload, and
a checksum of everything before it. Both checksums are verified: a byte that went wrong must not become a
word that a model never said. What went wrong at the provider is a frame too, named after the exception.
"""

import base64
import struct
import zlib
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct, field

from chatd.kit import codec
from chatd.providers.transport.frame_json import FrameDecoder
from chatd.providers.transport.sse import FRAME_BYTES_MAX, Frame, FrameTooLargeError

_PRELUDE: Final = struct.Struct(">III")
_CHECKSUM: Final = struct.Struct(">I")
_LENGTH: Final = struct.Struct(">H")
# The prelude and the checksum at the end.
_OVERHEAD_BYTES = _PRELUDE.size + _CHECKSUM.size

_STRING = 7
# Header values of a fixed size, by their type: yes, no, one to eight bytes, an instant, an id.
_FIXED_BYTES: Final[Mapping[int, int]] = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
# Values that say their size themselves: bytes and text.
_SIZED: Final = (6, _STRING)

# One kind of event has always the same headers, so they are read once for each kind.
_KINDS_MAX = 64


class BadFrameError(Exception):
    """These bytes are no event stream, or were damaged on the way."""


class _Kind(Struct, frozen=True):
    """What the headers of a message say."""

    name: bytes
    # The message of an error stands in a header, not in the payload.
    payload: bytes | None = None


class AwsFrames:
    def __init__(self, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._frame_bytes_max = frame_bytes_max
        self._portions: list[bytes] = []
        self._size = 0
        # How many bytes it takes before anything more can be said.
        self._needed = _PRELUDE.size
        self._kinds: dict[bytes, _Kind] = {}

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that these bytes complete. Raises BadFrameError and FrameTooLargeError."""
        self._portions.append(data)
        self._size += len(data)
        if self._size < self._needed:
            return []
        if len(self._portions) > 1:
            data = b"".join(self._portions)
        frames: list[Frame] = []
        start = 0
        while self._size - start >= _PRELUDE.size:
            total, headers_size = self._prelude(data, start)
            if self._size - start < total:
                self._needed = total
                break
            frames.append(self._frame(data[start : start + total], headers_size))
            start += total
            self._needed = _PRELUDE.size
        self._size -= start
        self._portions = [data[start:]] if self._size else []
        return frames

    def close(self) -> list[Frame]:
        """Half a frame says nothing. Whether the answer was complete, its decoder knows."""
        self._portions = []
        self._size = 0
        return []

    def _prelude(self, data: bytes, start: int) -> tuple[int, int]:
        total, headers_size, checksum = _PRELUDE.unpack_from(data, start)
        if zlib.crc32(data[start : start + 8]) != checksum:
            raise BadFrameError("The checksum of a prelude is wrong")
        if total > self._frame_bytes_max:
            raise FrameTooLargeError
        if headers_size + _OVERHEAD_BYTES > total:
            raise BadFrameError("The headers are longer than their message")
        return total, headers_size

    def _frame(self, message: bytes, headers_size: int) -> Frame:
        (checksum,) = _CHECKSUM.unpack_from(message, len(message) - _CHECKSUM.size)
        if zlib.crc32(message[: -_CHECKSUM.size]) != checksum:
            raise BadFrameError("The checksum of a message is wrong")
        payload_at = _PRELUDE.size + headers_size
        headers = message[_PRELUDE.size : payload_at]
        kind = self._kinds.get(headers)
        if kind is None:
            kind = _kind(headers)
            if len(self._kinds) < _KINDS_MAX:
                self._kinds[headers] = kind
        payload = message[payload_at : -_CHECKSUM.size] if kind.payload is None else kind.payload
        return kind.name, payload


def _kind(data: bytes) -> _Kind:
    headers = _headers(data)
    match headers.get(b":message-type"):
        case b"exception":
            return _Kind(headers.get(b":exception-type", b"Exception"))
        case b"error":
            message = headers.get(b":error-message", b"").decode("utf-8", "replace")
            return _Kind(headers.get(b":error-code", b"Error"), codec.encode({"message": message}))
        case _:
            return _Kind(headers.get(b":event-type", b""))


def _headers(data: bytes) -> dict[bytes, bytes]:
    """The headers that are text; the others are not needed. Raises BadFrameError."""
    headers: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        name, at = _take(data, at + 1, data[at])
        kind, at = _take(data, at, 1)
        if kind[0] in _SIZED:
            length, at = _take(data, at, _LENGTH.size)
            value, at = _take(data, at, _LENGTH.unpack(length)[0])
            if kind[0] == _STRING:
                headers[name] = value
        elif kind[0] in _FIXED_BYTES:
            _, at = _take(data, at, _FIXED_BYTES[kind[0]])
        else:
            # Its size is unknown, so nothing behind it can be read.
            raise BadFrameError("A header has an unknown type")
    return headers


def _take(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise BadFrameError("A header is longer than all headers together")
    return data[at : at + size], at + size


class _Chunk(Struct):
    bytes: str = ""


class _Fault(Struct):
    message: str | None = None
    # Some services shout.
    loud_message: str | None = field(default=None, name="Message")


_chunks = FrameDecoder(_Chunk)
_faults = FrameDecoder(_Fault)

# What Bedrock's exceptions are called in the dialect of the model behind it.
_ANTHROPIC_ERRORS: Final[Mapping[bytes, str]] = {
    b"throttlingException": "rate_limit_error",
    b"validationException": "invalid_request_error",
    b"modelTimeoutException": "timeout_error",
    b"serviceUnavailableException": "overloaded_error",
}


class InvokeFrames:
    """What InvokeModel wraps: each chunk holds one event of the model's own dialect.

    Its frames have no name, for the event says its type itself. Exceptions become the `error` event of the
    Anthropic dialect.
    """

    def __init__(self, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._frames = AwsFrames(frame_bytes_max)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that these bytes complete. Raises BadFrameError and FrameTooLargeError."""
        return [_unwrapped(name, payload) for name, payload in self._frames.feed(data)]

    def close(self) -> list[Frame]:
        return self._frames.close()


def _unwrapped(name: bytes, payload: bytes) -> Frame:
    if name == b"chunk":
        try:
            return b"", base64.b64decode(_chunks.decode(payload).bytes, validate=True)
        except (msgspec.DecodeError, ValueError) as error:
            raise BadFrameError("A chunk does not hold what it should") from error
    if is_fault(name):
        kind = _ANTHROPIC_ERRORS.get(name, "api_error")
        fault = {"type": kind, "message": fault_message(name, payload)}
        return b"error", codec.encode({"type": "error", "error": fault})
    return name, payload


def is_fault(name: bytes) -> bool:
    """Whether a frame of this name says what went wrong. Events are never called like that."""
    return name.endswith((b"Exception", b"Error"))


def fault_message(name: bytes, payload: bytes) -> str:
    """What a fault says in words; its name, where it has none."""
    try:
        fault = _faults.decode(payload)
    except msgspec.DecodeError:
        fault = _Fault()
    return fault.message or fault.loud_message or name.decode("utf-8", "replace")
