"""The official package at work: opens a session with a server, and speaks with it.

Everything in `wire/` imports the package, which takes most of a second. So nothing outside imports `wire/`,
but for `chatd.mcp.connections.opening`, which does it in a thread.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp import ClientSession, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CONNECTION_CLOSED,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    Implementation,
    PaginatedRequestParams,
    Tool,
)
from pydantic import RootModel, ValidationError

from chatd import __version__
from chatd.catalog.mcp.server import McpServer, Transport
from chatd.domain.part import Json
from chatd.mcp.connections.session import CallFailed, McpError, OpenPipes, Page, Progress, RawTool
from chatd.mcp.limits import MESSAGE_BYTES_MAX
from chatd.mcp.wire.failures import NOT_MCP, reason_of
from chatd.mcp.wire.http import READ_SECONDS, Exchange, http_client
from chatd.mcp.wire.stdio import stdio_streams
from chatd.mcp.wire.streams import Seen, Streams, filtered

# They log what servers send, and session ids. What is worth knowing is logged by us.
QUIET = ("mcp", "client", "httpx2", "httpcore2")


class _Anything(RootModel[dict[str, Any]]):
    pass


def keep_quiet() -> None:
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@asynccontextmanager
async def open_session(server: McpServer, open_pipes: OpenPipes | None) -> AsyncIterator["WireSession"]:
    """Raises McpError with what went wrong, also in the middle of the block: then the connection is lost."""
    exchange = Exchange()
    try:
        async with AsyncExitStack() as opened:
            streams = await opened.enter_async_context(_streams(server, open_pipes, exchange))
            seen = Seen()
            answers = await opened.enter_async_context(filtered(streams, seen))
            session = await opened.enter_async_context(
                ClientSession(
                    answers, streams[1], client_info=Implementation(name="chatd", version=__version__)
                )
            )
            await _agree(session, exchange)
            yield WireSession(session, seen, exchange)
    except Exception as error:
        raise McpError(reason_of(error, exchange)) from error


@asynccontextmanager
async def _streams(
    server: McpServer, open_pipes: OpenPipes | None, exchange: Exchange
) -> AsyncIterator[Streams]:
    match server.transport:
        case Transport.STDIO:
            assert open_pipes is not None
            async with open_pipes() as pipes:
                try:
                    async with stdio_streams(pipes) as streams:
                        yield streams
                except Exception as error:
                    raise McpError(_with_complaints(reason_of(error), pipes.complaints)) from error
        case Transport.STREAMABLE_HTTP:
            async with (
                http_client(server, exchange) as client,
                streamable_http_client(
                    server.url or "", http_client=client, max_sse_event_size=MESSAGE_BYTES_MAX
                ) as streams,
            ):
                yield streams
        case Transport.SSE:
            async with sse_client(
                server.url or "",
                timeout=server.connect_seconds,
                sse_read_timeout=READ_SECONDS,
                # Called by name, with what the server's own client has already.
                httpx_client_factory=lambda **_: http_client(server, exchange),  # type: ignore[arg-type]
            ) as streams:
                yield streams


def _with_complaints(reason: str, complaints: str) -> str:
    return f"{reason} It printed: {complaints}" if complaints else reason


# Refusals that say nothing of versions.
_NO_REFUSALS = frozenset({CONNECTION_CLOSED, REQUEST_TIMEOUT, PARSE_ERROR})


async def _agree(session: ClientSession, exchange: Exchange) -> None:
    """On a version of the protocol. All but the newest servers know the handshake, and most of those."""
    try:
        await session.initialize()
    except MCPError as refusal:
        if refusal.code in _NO_REFUSALS:
            raise
        failed_with = exchange.failed_with
        try:
            await session.discover()
        except MCPError:
            exchange.failed_with = failed_with
            raise refusal from None


class WireSession:
    """See `Session`."""

    def __init__(self, session: ClientSession, seen: Seen, exchange: Exchange) -> None:
        self._session = session
        self._seen = seen
        self._exchange = exchange

    @property
    def has_ended(self) -> bool:
        return self._seen.ended

    @property
    def has_changed(self) -> bool:
        return self._seen.tools_changed

    async def list_tools(self, cursor: str | None) -> Page:
        self._seen.tools_changed = False
        capabilities = self._session.server_capabilities
        if capabilities is not None and capabilities.tools is None:
            return Page(tools=())
        try:
            params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
            listed = await self._session.list_tools(params=params)
        except (MCPError, ValidationError, RecursionError) as error:
            raise McpError(reason_of(error, self._exchange)) from error
        return Page(tools=tuple(map(_raw, listed.tools)), cursor=listed.next_cursor or None)

    async def call(self, tool: str, args: dict[str, Json], tell: Progress) -> dict[str, Json]:
        async def show(progress: float, total: float | None, message: str | None) -> None:
            tell(_progress(progress, total, message))

        params = CallToolRequestParams(name=tool, arguments=args)
        try:
            # Not `call_tool`: it would compile the server's schema of the result, and run it.
            answer = await self._session.send_request(
                CallToolRequest(params=params), _Anything, progress_callback=show
            )
        except MCPError as error:
            reason = reason_of(error, self._exchange)
            raise (McpError if self._seen.ended else CallFailed)(reason) from error
        except (ValidationError, RecursionError) as error:
            raise CallFailed(NOT_MCP) from error
        return answer.root


def _raw(tool: Tool) -> RawTool:
    hints = tool.annotations
    return RawTool(
        name=tool.name,
        description=tool.description or tool.title or "",
        input_schema=tool.input_schema,
        idempotent=hints is not None and bool(hints.idempotent_hint or hints.read_only_hint),
        read_only=hints is not None and bool(hints.read_only_hint),
    )


def _progress(done: float, total: float | None, message: str | None) -> str:
    count = f"{done:g}" if total is None else f"{done:g}/{total:g}"
    return f"{count} {message}" if message else count
