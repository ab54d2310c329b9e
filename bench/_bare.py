"""A bare server for a floor: what is posted to it is sent to all who listen, and that is all.

It runs on the same web server with the same settings as ours.
"""

import asyncio
from collections.abc import AsyncIterator

import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from chatd.api.serving.connections.server import address_of, bound, serve_http

HOST = "127.0.0.1"


class Audience:
    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[bytes]] = set()

    async def post(self, request: Request) -> Response:
        await request.body()
        for queue in self._queues:
            queue.put_nowait(b'event: message_part\ndata: {"type":"message_part"}\n\n')
        return Response(b"{}", 201, media_type="application/json")

    async def listen(self, _: Request) -> Response:
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._queues.add(queue)
        yield b"retry: 1000\n\n"
        while True:
            yield await queue.get()

    async def view(self, socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("[]")
        await socket.receive()


async def main() -> None:
    audience = Audience()
    app = Starlette(
        routes=[
            Route("/", audience.post, methods=["POST"]),
            Route("/stream", audience.listen),
            WebSocketRoute("/stream", audience.view),
        ]
    )
    with bound(HOST, 0) as listener:
        await serve_http(
            app,
            listener,
            stop=asyncio.Event(),
            ready=lambda: print("bare ready at", address_of(HOST, listener), flush=True),
        )


if __name__ == "__main__":
    uvloop.run(main())
