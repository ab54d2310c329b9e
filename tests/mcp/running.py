"""MCP servers that run as real processes, for tests."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from chatd.catalog.mcp.server import McpServer, Transport
from chatd.domain.call import CallResult
from chatd.domain.ids import CallId, ChatId, UserId
from chatd.domain.part import Json
from chatd.kit.clock import Clock, SystemClock
from chatd.mcp.connections.connections import Connections, open_connections
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.connections.program import open_program
from chatd.mcp.tools.offered import McpTools, Offered, mcp_tools
from chatd.mcp.tools.tool import Wanted
from chatd.tools.calls.call import run_call
from chatd.tools.tool import Setting
from chatd.tools.toolbox import Toolbox

USER = UserId("user")
SAMPLE = str(Path(__file__).with_name("sample_server.py"))
HOSTILE = str(Path(__file__).with_name("hostile_server.py"))
# What a real server may take on a slow machine before a test fails.
PATIENCE_SECONDS = 60.0


class Way(StrEnum):
    """How a server is reached. `JSON` is streamable HTTP that answers with a body instead of a stream."""

    STDIO = "stdio"
    STREAMABLE_HTTP = "streamable_http"
    JSON = "json"
    SSE = "sse"


def program(*arguments: str, **more: Any) -> McpServer:
    """A server that is a Python program."""
    return McpServer(
        id=more.pop("id", "m-1"),
        slug=more.pop("slug", "sample"),
        transport=Transport.STDIO,
        command=(sys.executable, *arguments),
        connect_seconds=more.pop("connect_seconds", PATIENCE_SECONDS),
        **more,
    )


@asynccontextmanager
async def running(way: Way, which: str = "sample") -> AsyncIterator[McpServer]:
    """A server of the official package; `which` is `sample`, or `time`: one that others published."""
    if way is Way.STDIO:
        yield program(SAMPLE, "stdio", "", which, slug=which)
        return
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Already listening: who connects before the program is ready waits.
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            SAMPLE,
            way.value,
            str(listener.fileno()),
            which,
            pass_fds=(listener.fileno(),),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            yield at(listener.getsockname()[1], way, slug=which)
        finally:
            child.kill()
            await child.wait()


def at(port: int, way: Way, **more: Any) -> McpServer:
    return McpServer(
        id=more.pop("id", "m-1"),
        slug=more.pop("slug", "sample"),
        transport=Transport.SSE if way is Way.SSE else Transport.STREAMABLE_HTTP,
        url=f"http://127.0.0.1:{port}/{'sse' if way is Way.SSE else 'mcp'}",
        private_addresses=True,
        connect_seconds=PATIENCE_SECONDS,
        **more,
    )


class Bench:
    """Some servers, the connections to them, and the tools that come of it."""

    def __init__(self, connections: Connections, *servers: McpServer) -> None:
        self.connections = connections
        self.servers = list(servers)
        self.shown: list[str] = []

    async def source(self) -> list[Wanted]:
        return [
            Wanted(
                server=server,
                open_pipes=partial(open_program, server) if server.transport is Transport.STDIO else None,
            )
            for server in self.servers
        ]

    async def offered(self, user_id: UserId = USER) -> tuple[Offered, ...]:
        return (await self.tools(user_id)).offered

    async def tools(self, user_id: UserId = USER) -> McpTools:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await mcp_tools(self.connections, user_id, self.source)

    async def names(self) -> list[str]:
        return [offered.tool.name for offered in await self.offered()]

    async def call(self, tool: str, /, **args: Json) -> CallResult:
        toolbox = Toolbox([offered.tool for offered in await self.offered()])
        return await self.call_in(toolbox, tool, **args)

    async def call_in(self, toolbox: Toolbox, tool: str, /, **args: Json) -> CallResult:
        setting = Setting(chat_id=ChatId("chat"), call_id=CallId("call"), show=self.shown.append)
        async with asyncio.timeout(PATIENCE_SECONDS):
            return (await run_call(toolbox, tool, args, setting)).result

    def change(self, **fields: Any) -> None:
        """The configuration of the only server."""
        (server,) = self.servers
        self.servers = [replace(server, **fields)]


@asynccontextmanager
async def a_bench(*servers: McpServer, clock: Clock | None = None) -> AsyncIterator[Bench]:
    async with open_connections(wire_sessions(), clock or SystemClock()) as connections:
        yield Bench(connections, *servers)


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


@asynccontextmanager
async def raw_http(serve: Serve) -> AsyncIterator[int]:
    """A server that answers as a test wants, byte by byte; its port."""
    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()


# The program, and its guardian.
CHILDREN_PER_SERVER = 2


class Children:
    """The processes that were started since this was made, and that have not ended.

    Others of pytest, such as a database of a test before, may end at any moment.
    """

    def __init__(self) -> None:
        self._others = _children()

    def __call__(self) -> set[int]:
        return _children() - self._others


def _children() -> set[int]:
    text = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii")
    return set(map(int, text.split()))


async def until(is_so: Callable[[], bool]) -> None:
    """Processes and tasks of others tell nobody when they are so far."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0)
