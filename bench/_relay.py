"""A bare relay: for every viewer it opens the provider's stream and sends on the bytes as they come.

    python -m bench._relay ADDRESS

The same web server and the same client that ours use, and nothing in between.
"""

import asyncio
import sys

import aiohttp
import uvloop
from starlette.types import Receive, Scope, Send

from chatd.api.serving.connections.server import address_of, bound, serve_http


async def serve(provider: str) -> None:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            assert scope["type"] == "websocket"
            await receive()
            await send({"type": "websocket.accept"})
            async with session.post(provider, data=b'{"messages":"hold"}') as answer:
                while data := await answer.content.readany():
                    await send({"type": "websocket.send", "text": data.decode()})
            await receive()

        with bound("127.0.0.1", 0) as listener:
            await serve_http(
                app,
                listener,
                stop=asyncio.Event(),
                ready=lambda: print(f"relay ready at {address_of('127.0.0.1', listener)}", flush=True),
                end_streams=lambda: None,
            )


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
