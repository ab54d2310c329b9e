"""An internet of two machines, for tests: 127.0.0.1 counts as public, and 127.0.0.2 as private.

Both are real servers, on the same port, which answer with the bytes that a test has written. Names lead where
the test says.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId
from chatd.domain.part import Json
from chatd.kit.outbound.reach import Reach, system_resolve
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox
from chatd.tools.web.address import Policy
from chatd.tools.web.fetch import Fetcher, FetchLimits
from chatd.tools.web.fetch_url import NAME, fetch_url
from tests.clock import MovedClock

PUBLIC, PRIVATE = "127.0.0.1", "127.0.0.2"

# The bytes of an answer; or what writes them, for as long as it wants.
Written: TypeAlias = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


class Asked(Struct, frozen=True, kw_only=True):
    """A request as it came."""

    path: str
    # Names in lower case.
    headers: dict[str, str]


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    given = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in given.items() if value)]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + body


def html(body: str, **headers: str) -> bytes:
    return answer(body.encode(), **{"content_type": "text/html; charset=utf-8"} | headers)


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(b"", status, location=location)


class Machine:
    def __init__(self) -> None:
        self.pages: dict[str, Written] = {}
        self.asked: list[Asked] = []
        self._answering: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            await self._answer(reader, writer)
        finally:
            self._answering.discard(task)
            writer.close()

    async def end(self) -> None:
        """Also what would be said for ever."""
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.rstrip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            path = first.split(" ")[1]
            self.asked.append(Asked(path=path, headers=headers))
            written = self.pages.get(path, answer(b"", "404 Not Found"))
            if isinstance(written, bytes):
                writer.write(written)
                await writer.drain()
            else:
                await written(writer)


class Internet:
    def __init__(self, port: int, public: Machine, private: Machine) -> None:
        self.port = port
        self.public, self.private = public, private
        self.clock = MovedClock()
        # The first of the list is what the name means now; it is taken off until one is left.
        self.names: dict[str, list[Sequence[str]]] = {
            "example.test": [[PUBLIC]],
            "other.test": [[PUBLIC]],
            "inside.test": [[PRIVATE]],
        }
        self.looked_up: list[str] = []
        # The sites that a call may be sent on to; None is all of them.
        self.allowed: set[str] | None = None
        self.sees: frozenset[str] = frozenset()
        self.limits = FetchLimits()
        self._toolboxes: dict[frozenset[str], Toolbox] = {}

    def site(self, host: str) -> str:
        return f"{host}:{self.port}"

    def url(self, path: str = "/", host: str = "example.test", scheme: str = "http") -> str:
        return f"{scheme}://{self.site(host)}{path}"

    async def fetch(
        self,
        url: str,
        *,
        private_sites: frozenset[str] = frozenset(),
        chat_id: str = "a-chat",
        **args: Json,
    ) -> CallResult:
        setting = Setting(
            chat_id=ChatId(chat_id),
            call_id=CallId("a-call"),
            show=lambda _: None,
            sees=self.sees,
            forbidden=self._forbidden,
        )
        toolbox = self._toolbox(private_sites)
        ran = await run_call(toolbox, NAME, {"url": url, **args}, setting)
        return ran.result

    def _toolbox(self, private_sites: frozenset[str]) -> Toolbox:
        if private_sites not in self._toolboxes:
            policy = Policy(private_sites=private_sites, further_ports=frozenset({self.port, 8080}))
            reach = Reach(
                private_hosts=False, resolve=self._resolve, may_call=lambda address: address == PUBLIC
            )
            fetcher = Fetcher(reach=reach, policy=policy, limits=self.limits)
            self._toolboxes[private_sites] = Toolbox([fetch_url(fetcher, policy, self.clock)])
        return self._toolboxes[private_sites]

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        meanings = self.names.get(host)
        if meanings is None:
            return await system_resolve(host, port)
        return meanings.pop(0) if len(meanings) > 1 else meanings[0]

    async def _forbidden(self, touches: Touches) -> frozenset[str]:
        return frozenset() if self.allowed is None else frozenset(touches.hosts) - self.allowed


@asynccontextmanager
async def an_internet() -> AsyncIterator[Internet]:
    public, private = Machine(), Machine()
    first = await asyncio.start_server(public.serve, PUBLIC, 0)
    port = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(private.serve, PRIVATE, port)
    internet = Internet(port, public, private)
    try:
        yield internet
    finally:
        for server, machine in ((first, public), (second, private)):
            server.close()
            await machine.end()
