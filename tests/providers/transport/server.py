"""A provider's server in the test's own loop, which does with each request what a test says."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct

PATIENCE_SECONDS = 30


class Asked(Struct, frozen=True):
    path: str
    # Names in lower case, in their order, with all their values.
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        values = [value for each, value in self.headers if each == name]
        assert len(values) <= 1, f"{name} came {len(values)} times"
        return values[0] if values else None


class Exchange:
    """One request, and the hand that writes its answer."""

    def __init__(self, asked: Asked, number: int, transport: asyncio.WriteTransport) -> None:
        self.asked = asked
        # Counting from 1, over all connections.
        self.number = number
        self._transport = transport

    def begin(
        self, status: int = 200, content_type: str | None = "text/event-stream", **headers: str
    ) -> None:
        lines = [f"HTTP/1.1 {status} Status", "Transfer-Encoding: chunked"]
        if content_type is not None:
            lines.append(f"Content-Type: {content_type}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.raw("\r\n".join([*lines, "", ""]).encode())

    def say(self, data: bytes) -> None:
        self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def end(self) -> None:
        self.raw(b"0\r\n\r\n")

    def raw(self, data: bytes) -> None:
        self._transport.write(data)

    def leave(self) -> None:
        self._transport.close()

    def drop(self) -> None:
        self._transport.abort()


# Ended when the client lets go.
Script = Callable[[Exchange], Coroutine[Any, Any, None]]


class Server:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.opened = 0
        self.open = 0
        self.address = ""
        self.moved = asyncio.Event()

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not true():
                self.moved.clear()
                await self.moved.wait()

    async def until_no_client_is_connected(self) -> None:
        await self.until(lambda: self.open == 0)


class _Connection(asyncio.Protocol):
    def __init__(self, server: Server) -> None:
        self._server = server
        self._received = b""
        self._script: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._server.opened += 1
        self._server.open += 1
        self._server.moved.set()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._script is not None:
            self._script.cancel()
        self._server.open -= 1
        self._server.moved.set()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode("latin-1").splitlines()
        pairs = [line.partition(":") for line in lines[1:]]
        headers = tuple((name.lower(), value.strip()) for name, _, value in pairs)
        if len(body) < int(dict(headers).get("content-length", 0)):
            return
        self._received = b""
        server = self._server
        server.asked.append(Asked(lines[0].split(" ")[1], headers, body))
        exchange = Exchange(server.asked[-1], len(server.asked), self._transport)
        self._script = asyncio.get_running_loop().create_task(server.script(exchange))
        server.moved.set()


@asynccontextmanager
async def serving(script: Script, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    server = Server(script)
    listening = await asyncio.get_running_loop().create_server(
        lambda: _Connection(server), "127.0.0.1", 0, backlog=2048, ssl=tls
    )
    host, port = listening.sockets[0].getsockname()
    server.address = f"{'http' if tls is None else 'https'}://{host}:{port}"
    try:
        yield server
    finally:
        listening.close()
        await server.until_no_client_is_connected()


def saying(*pieces: bytes) -> Script:
    """Answers everyone with these pieces, all at once, as a stream."""

    async def script(exchange: Exchange) -> None:
        exchange.begin()
        for piece in pieces:
            exchange.say(piece)
        exchange.end()

    return script


async def never() -> None:
    """Until the client lets go, at the latest."""
    await asyncio.get_running_loop().create_future()
