"""Batches as bytes (pure): JSON arrays for WebSockets, and the framing of Server-Sent Events."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from chatd.kit.codec import encode
from chatd.live.episodes.episode import Said
from chatd.live.events import Batch

FRAME_EVENTS_MAX = 256
# A frame ends with the event that reaches this size. Made one by one, each when the one before it was
# taken: so a slow viewer holds one of them, and not everything that was ever said.
FRAME_BYTES_MAX = 128 * 1024
# Of an event stream, the most that is handed to the connection at once.
SSE_PIECE_BYTES_MAX = 64 * 1024

# A comment: it keeps proxies from closing the connection as idle.
SSE_BEAT = b": still here\n\n"
# How long a browser waits before it comes back, in milliseconds.
SSE_PREAMBLE = b"retry: 1000\n\n"


def text_frames(batch: Batch) -> Iterator[str]:
    """The whole batch, in as few frames as the bounds allow."""
    end = batch.cursor_end + b'"}'
    if batch.events:
        for some in _chunks(_json_events(batch, end)):
            yield (b"[" + b",".join(some) + b"]").decode()
        return
    between = end + b","
    for some in _parts([said.begun for said in batch.parts]):
        # One join for all of them: this is where most of the bytes go by.
        yield (b"[" + between.join(some) + end + b"]").decode()


def sse_pieces(batch: Batch) -> Iterator[bytes]:
    """The whole batch, one event after the other. A large one is in several pieces."""
    for some in _chunks(_sse_events(batch)):
        data = b"".join(some)
        for start in range(0, len(data), SSE_PIECE_BYTES_MAX):
            yield data[start : start + SSE_PIECE_BYTES_MAX]


def _json_events(batch: Batch, end: bytes) -> Iterator[bytes]:
    for event in batch.events:
        yield encode(event)
    for said in batch.parts:
        yield said.begun + end


def _sse_events(batch: Batch) -> Iterator[bytes]:
    for event in batch.events:
        # What guests are told has no cursor.
        cursor = getattr(event, "cursor", None)
        begun = b"id: %b\n" % cursor.encode() if cursor is not None else b""
        yield b"%bevent: %b\ndata: %b\n\n" % (begun, _type_of(event).encode(), encode(event))
    for said in batch.parts:
        yield _sse_part(said, batch.cursor_end)


def _sse_part(said: Said, end: bytes) -> bytes:
    return b'id: %d.%b\nevent: %b\ndata: %b%b"}\n\n' % (said.seq, end, said.type.encode(), said.begun, end)


def _type_of(event: Any) -> str:
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def _parts(events: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    """Almost always all of them at once; then they are not looked at one by one."""
    if len(events) <= FRAME_EVENTS_MAX and sum(map(len, events)) <= FRAME_BYTES_MAX:
        return (events,) if events else ()
    return _chunks(events)


def _chunks(events: Iterable[bytes]) -> Iterator[Sequence[bytes]]:
    some: list[bytes] = []
    size = 0
    for each in events:
        some.append(each)
        size += len(each)
        if size >= FRAME_BYTES_MAX or len(some) == FRAME_EVENTS_MAX:
            yield some
            some, size = [], 0
    if some:
        yield some
