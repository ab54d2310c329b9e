"""Two roles that take turns, beginning with the user: what some providers insist on (pure).

Segments of a history are written one by one and for good. Where nothing of a segment was left, its neighbours
meet, and two messages of one role stand side by side: only the whole request shows it.
"""

from collections.abc import Iterable
from itertools import pairwise

import msgspec
from msgspec import Struct

_items = msgspec.json.Decoder(list[msgspec.Raw])
# How every message ends: its list of parts, and itself.
_END = b"]}"


class Shape(Struct, frozen=True):
    """How the messages of a dialect are written, up to the first of their parts."""

    user: bytes
    model: bytes
    # What the user says where a conversation begins with the model.
    opening: bytes
    # The model's messages that hold this are not joined with others. Empty: all are.
    apart: bytes = b""


def alternating(items: bytes, shape: Shape) -> bytes:
    """The same items, where no two of one role are neighbours and the first is the user's."""
    raw = _items.decode(b"[" + items + b"]")
    if not raw:
        return items
    users = [bytes(memoryview(item)[: len(shape.user)]) == shape.user for item in raw]
    if users[0] and not any(one == other for one, other in pairwise(users)):
        return items
    written = [bytes(item) for item in raw]
    if not users[0]:
        written.insert(0, shape.user + shape.opening + _END)
    return b",".join(_merged(written, shape))


def _merged(items: Iterable[bytes], shape: Shape) -> list[bytes]:
    merged: list[bytes] = []
    for item in items:
        start = shape.user if item.startswith(shape.user) else shape.model
        if merged and merged[-1].startswith(start) and not _is_apart(merged[-1], item, shape):
            merged[-1] = merged[-1].removesuffix(_END) + b"," + item.removeprefix(start)
        else:
            merged.append(item)
    return merged


def _is_apart(before: bytes, after: bytes, shape: Shape) -> bool:
    is_model = after.startswith(shape.model)
    return is_model and shape.apart != b"" and (shape.apart in before or shape.apart in after)
