"""Batches as bytes (pure): JSON arrays for WebSockets, and the framing of Server-Sent Events."""

from collections.abc import Iterator, Sequence
from typing import Any

from chatd.kit.codec import encode
from chatd.live.episode import Said
from chatd.live.events import Batch

FRAME_EVENTS_MAX = 256

# A comment: it keeps proxies from thinking that nobody is there.
SSE_BEAT = b": still here\n\n"
# How long a browser waits before it comes back, in milliseconds.
SSE_PREAMBLE = b"retry: 1000\n\n"


def text_frames(batch: Batch) -> Iterator[str]:
    """The whole batch, in as few frames as the bound allows."""
    end = batch.cursor_end + b'"}'
    told = [encode(event) for event in batch.events]
    if told and batch.parts:
        told += [said.begun + end for said in batch.parts]
    if told:
        for some in _chunks(told):
            yield (b"[" + b",".join(some) + b"]").decode()
        return
    between = end + b","
    for parts in _chunks(batch.parts):
        # One join for all of them: this is where most of the bytes go by.
        yield (b"[" + between.join([said.begun for said in parts]) + end + b"]").decode()


def sse_events(batch: Batch) -> bytes:
    """The whole batch, one after the other."""
    told = [
        b"id: %b\nevent: %b\ndata: %b\n\n" % (event.cursor.encode(), _type_of(event).encode(), encode(event))
        for event in batch.events
    ]
    end = batch.cursor_end
    told += [_sse_part(said, end) for said in batch.parts]
    return b"".join(told)


def _sse_part(said: Said, end: bytes) -> bytes:
    return b'id: %d.%b\nevent: %b\ndata: %b%b"}\n\n' % (said.seq, end, said.type.encode(), said.begun, end)


def _type_of(event: Any) -> str:
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), FRAME_EVENTS_MAX):
        yield items[start : start + FRAME_EVENTS_MAX]
