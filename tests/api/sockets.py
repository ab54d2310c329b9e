"""Connections to a real server, with whatever one wants to send on them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.types import ASGIApp

from chatd.api.serving.connections.server import bound, serve_http
from chatd.api.serving.connections.strangers import Strangers

# Only ever waited for when something is broken.
PATIENCE_SECONDS = 30


class Caller:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        # What is not taken any more is what these tests are about.
        try:
            await self._writer.drain()
        except ConnectionError:
            pass

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def answer(self) -> tuple[bytes, bytes]:
        """The status line and the body of the next answer."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        (length,) = (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        return head.split(b"\r\n")[0], await self._reader.readexactly(int(length.split(b":")[1]))

    async def rest(self) -> bytes:
        """What still comes until the server ends the connection."""
        try:
            return await self._reader.read()
        except ConnectionError:
            return b""

    async def status(self) -> bytes:
        """The status of the next answer, of which nothing else is read."""
        return (await self.line()).split(b" ")[1]

    async def line(self) -> bytes:
        return await self._reader.readuntil(b"\r\n")


@asynccontextmanager
async def serving(
    app: ASGIApp,
    *,
    head_seconds: float = PATIENCE_SECONDS,
    linger_seconds: float = PATIENCE_SECONDS,
    strangers: Strangers | None = None,
) -> AsyncIterator[Callable[[], Awaitable[Caller]]]:
    """A server, and a way to connect to it."""
    stop, listening = asyncio.Event(), asyncio.Event()
    writers: list[asyncio.StreamWriter] = []
    with bound("127.0.0.1", 0) as listener:

        async def connect() -> Caller:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writers.append(writer)
            return Caller(reader, writer)

        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            group.create_task(
                serve_http(
                    app,
                    listener,
                    stop=stop,
                    ready=listening.set,
                    head_seconds=head_seconds,
                    linger_seconds=linger_seconds,
                    strangers=strangers,
                )
            )
            await listening.wait()
            yield connect
            for writer in writers:
                writer.close()
            stop.set()


@asynccontextmanager
async def connected(
    app: ASGIApp, *, head_seconds: float = PATIENCE_SECONDS, linger_seconds: float = PATIENCE_SECONDS
) -> AsyncIterator[Caller]:
    """A server, and one connection to it."""
    async with serving(app, head_seconds=head_seconds, linger_seconds=linger_seconds) as connect:
        yield await connect()
