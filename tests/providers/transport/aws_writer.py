"""An AWS event stream, written down: the other half of `aws_frames`, for tests only."""

import struct
import zlib

from chatd.domain.part import Json
from chatd.kit import codec


def header(name: str, value: str | bytes | int) -> bytes:
    begun = bytes([len(name)]) + name.encode()
    match value:
        case bool():
            return begun + (b"\x00" if value else b"\x01")
        case int():
            return begun + b"\x04" + struct.pack(">i", value)
        case str():
            return begun + b"\x07" + struct.pack(">H", len(value.encode())) + value.encode()
        case bytes():
            return begun + b"\x06" + struct.pack(">H", len(value)) + value


def message(headers: bytes, payload: bytes) -> bytes:
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    begun = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + payload
    return begun + struct.pack(">I", zlib.crc32(begun))


def event(kind: str, payload: Json) -> bytes:
    """As Bedrock sends it. Bytes go out as they are, everything else as JSON."""
    data = payload if isinstance(payload, bytes) else codec.encode(payload)
    headers = (
        header(":event-type", kind)
        + header(":content-type", "application/json")
        + header(":message-type", "event")
    )
    return message(headers, data)


def fault(kind: str, text: str) -> bytes:
    headers = (
        header(":exception-type", kind)
        + header(":content-type", "application/json")
        + header(":message-type", "exception")
    )
    return message(headers, codec.encode({"message": text}))
