"""HTTP without sockets: a process's application is called in its own life, and may die in the middle."""

import asyncio
from collections import deque
from typing import Any
from urllib.parse import urlencode

from starlette.types import Message, Scope

from chatd.accounts.tokens.tokens import hash_of
from tests.api.client import Answer, Client
from tests.simulation.chaos import Chaos
from tests.simulation.servers.life import failure_of
from tests.simulation.servers.process import Process

TOKEN = "chatd_of_the_simulation"
TOKEN_HASH = hash_of(TOKEN)

# Chunks that are sent and not read yet; then whoever sends has to wait.
CHUNKS_MAX = 3


async def ask(process: Process, method: str, path: str, body: bytes | None = None) -> Answer | None:
    """One request. None: the process died before it had answered, and nobody knows what it did."""
    chunks = (body,) if body is not None else ()
    # That answers are as described is proven elsewhere, and would take a twentieth of each story.
    asked = process.serve(Client(process.app, TOKEN, is_trusting=True).ask(method, path, *chunks))
    await asyncio.wait([asked])
    if (error := failure_of(asked)) is not None:
        raise error
    return None if asked.cancelled() or asked.exception() is not None else asked.result()


class Connection:
    """A stream of Server-Sent Events from a process to a viewer."""

    def __init__(self, process: Process, path: str, cursor: str | None, chaos: Chaos) -> None:
        self.status = 0
        # What was sent last may have arrived in part only.
        self.broken = False
        self._chaos = chaos
        self._chunks: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._left = asyncio.Event()
        scope = _scope(path, urlencode({"cursor": cursor} if cursor is not None else {}))
        self._served = process.serve(self._serve(process, scope))
        self._served.add_done_callback(self._ended)

    async def take(self) -> bytes | None:
        """The next piece; None when there will be none."""
        while not self._chunks and not self._served.done():
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._chunks.popleft() if self._chunks else None

    def leave(self) -> None:
        """Nobody reads on."""
        self._left.set()
        self._room.set()

    def _ended(self, served: "asyncio.Task[Any]") -> None:
        """What was on its way when a process died arrives in part."""
        self.broken = served.cancelled() or served.exception() is not None
        if self.broken:
            on_its_way = b"".join(self._chunks)
            self._chunks.clear()
            self._chunks.append(on_its_way[: self._chaos.chance.randint(0, len(on_its_way))])
        self._news.set()

    def check(self) -> None:
        """Raises what broke the server, if something did."""
        if self._served.done() and (error := failure_of(self._served)) is not None:
            raise error

    async def _serve(self, process: Process, scope: Scope) -> None:
        await process.app(scope, self._receive, self._send)

    async def _receive(self) -> Message:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            return
        while len(self._chunks) >= CHUNKS_MAX and not self._left.is_set():
            self._room.clear()
            await self._room.wait()
        self._chunks.append(message["body"])
        self._news.set()


def _scope(path: str, query: str) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (b"authorization", f"Bearer {TOKEN}".encode()),
            (b"accept", b"text/event-stream"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
