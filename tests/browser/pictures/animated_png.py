"""Frames as an animated PNG, which GitHub shows like any picture and which takes no other program to make.

https://www.w3.org/TR/png-3/#apng-frame-based-animation
"""

import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Eight bits each of red, green, blue and opacity, in rows from top to bottom.
PIXELS = struct.pack(">BBBBB", 8, 6, 0, 0, 0)
BYTES_PER_PIXEL = 4
UNFILTERED = b"\0"
FOR_EVER = 0
KEEP_WHAT_WAS_DRAWN = 0
DRAW_WHAT_IS_OPAQUE = 1


class Frame(NamedTuple):
    """A piece of the picture that is drawn at `left` and `top`, and then seen for a while."""

    pixels: bytes
    left: int
    top: int
    width: int
    height: int
    milliseconds: int


def animated_png(frames: Sequence[Frame]) -> bytes:
    """The first frame has to be the whole picture."""
    first, *others = frames
    chunks = [
        _chunk(b"IHDR", struct.pack(">II", first.width, first.height) + PIXELS),
        _chunk(b"acTL", struct.pack(">II", len(frames), FOR_EVER)),
        _chunk(b"fcTL", _control(0, first)),
        _chunk(b"IDAT", _compressed(first)),
    ]
    # Both chunks of a frame have a number.
    for number, frame in zip(range(1, 2 * len(frames) - 1, 2), others, strict=True):
        chunks.append(_chunk(b"fcTL", _control(number, frame)))
        chunks.append(_chunk(b"fdAT", struct.pack(">I", number + 1) + _compressed(frame)))
    return SIGNATURE + b"".join(chunks) + _chunk(b"IEND", b"")


def _control(number: int, frame: Frame) -> bytes:
    place = struct.pack(">IIIII", number, frame.width, frame.height, frame.left, frame.top)
    return place + struct.pack(">HHBB", frame.milliseconds, 1000, KEEP_WHAT_WAS_DRAWN, DRAW_WHAT_IS_OPAQUE)


def _compressed(frame: Frame) -> bytes:
    row = frame.width * BYTES_PER_PIXEL
    rows = (frame.pixels[at : at + row] for at in range(0, len(frame.pixels), row))
    return zlib.compress(b"".join(UNFILTERED + each for each in rows), level=9)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
