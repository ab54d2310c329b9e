"""Telling as Server-Sent Events: `id` is the cursor, `event` the type, `data` the event."""

from starlette.datastructures import Headers

from chatd.api import failures
from chatd.api.chats.streams.frames import SSE_BEAT, SSE_PREAMBLE, sse_pieces
from chatd.api.chats.streams.stream import Batches
from chatd.api.chats.streams.talk import Talk, quietly
from chatd.errors import BadInput
from chatd.live.events import Batch
from chatd.live.streams import BEAT_SECONDS

EVENT_STREAM = "text/event-stream"


async def over_sse(talk: Talk, batches: Batches) -> None:
    clock = talk.server.live.clock
    told_at = clock.monotonic()

    async def tell(batch: Batch) -> None:
        nonlocal told_at
        now = clock.monotonic()
        if batch:
            for piece in sse_pieces(batch):
                await body(piece)
        elif now - told_at >= BEAT_SECONDS:
            await body(SSE_BEAT)
        else:
            return
        told_at = now

    async def body(data: bytes, *, more: bool = True) -> None:
        await talk.send({"type": "http.response.body", "body": data, "more_body": more})

    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        # Proxies that would collect an answer before they pass it on are asked not to.
        (b"x-accel-buffering", b"no"),
        *talk.headers,
    ]
    await talk.send({"type": "http.response.start", "status": 200, "headers": headers})
    await body(SSE_PREAMBLE)
    await talk.through(batches, tell)
    await quietly(body(b"", more=False))


def check_http(method: str, headers: Headers) -> None:
    if method != "GET":
        raise failures.WrongMethod(method, ("GET",))
    accepted = headers.get("accept", "*/*")
    if not any(each in accepted for each in (EVENT_STREAM, "text/*", "*/*")):
        raise BadInput(
            "not_acceptable",
            "This is a stream.",
            field="accept",
            hint=f"Connect with a WebSocket, or send the header `Accept: {EVENT_STREAM}`.",
        )
