"""The connections of this process: kept between steps and turns, and closed when they are not used.

A user has one for each server. Chats of different users share none: headers and tokens are theirs.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import structlog
from msgspec import Struct

from chatd.catalog.mcp.server import McpServer, Transport
from chatd.domain.ids import UserId
from chatd.kit.clock import Clock
from chatd.mcp.connections.connection import Connection
from chatd.mcp.connections.opening import OpenSession
from chatd.mcp.connections.session import McpError, OpenPipes
from chatd.mcp.limits import SERVERS_MAX

CONNECTIONS_MAX = 256
CONNECTIONS_OF_A_USER_MAX = SERVERS_MAX
# Of these, programs on this machine.
PROGRAMS_MAX = 64
IDLE_SECONDS = 600.0
SWEEP_SECONDS = 30.0
# How long a server that failed is left alone, by how often it has in a row: each turn would wait for it.
RETRY_SECONDS = (10.0, 30.0, 120.0, 300.0)
FAILURES_MAX = 1000

log = structlog.get_logger()

Key: TypeAlias = tuple[UserId, str]


class _Failure(Struct, frozen=True, kw_only=True):
    server: McpServer
    reason: str
    times: int
    retry_at: float


class ServerState(Struct, frozen=True, kw_only=True):
    """How it stands with a server, for people. Neither connected nor failed: it was not needed lately."""

    connected: bool = False
    tools: int = 0
    # Why some of its tools are missing, and how many each time.
    left_out: dict[str, int] = {}
    # Why it cannot be used.
    problem: str | None = None


class Connections:
    def __init__(self, open_session: OpenSession, clock: Clock, group: asyncio.TaskGroup) -> None:
        self._open_session = open_session
        self._clock = clock
        self._group = group
        self._kept: dict[Key, Connection] = {}
        self._failed: dict[Key, _Failure] = {}
        # Also of those that are about to be closed.
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False

    def __len__(self) -> int:
        return len(self._kept)

    async def to(self, user_id: UserId, server: McpServer, open_pipes: OpenPipes | None = None) -> Connection:
        """The connection of this user to the server, made if there is none. Raises McpError.

        A server that has just failed is not tried at once again, unless its configuration has changed.
        """
        key = (user_id, server.id)
        connection = self._kept.get(key)
        if connection is not None and (connection.is_over or connection.server != server):
            self._let_go(key, connection)
            connection = None
        if connection is None:
            self._refuse_failed(key, server)
            self._make_room(user_id, server)
            connection = self._kept[key] = Connection(server, self._open_session, open_pipes, self._clock)
            self._start(key, connection)
        await connection.begun()
        connection.used_at = self._clock.monotonic()
        return connection

    def _start(self, key: Key, connection: Connection) -> None:
        # Not in the task of the caller: one that is cancelled meanwhile leaves the connection to others.
        task = self._group.create_task(self._keep(key, connection), name=f"mcp {connection.server.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep(self, key: Key, connection: Connection) -> None:
        await connection.run()
        if self._kept.get(key) is connection:
            del self._kept[key]
        if connection.listing is None:
            self._note_failure(key, connection)
        else:
            self._failed.pop(key, None)
            log.info("mcp.closed", server=connection.server.id, user_id=key[0], why=connection.reason)

    def _note_failure(self, key: Key, connection: Connection) -> None:
        before = self._failed.pop(key, None)
        times = 1 if before is None or before.server != connection.server else before.times + 1
        pause = RETRY_SECONDS[min(times, len(RETRY_SECONDS)) - 1]
        reason = connection.reason or ""
        while len(self._failed) >= FAILURES_MAX:
            del self._failed[next(iter(self._failed))]
        self._failed[key] = _Failure(
            server=connection.server, reason=reason, times=times, retry_at=self._clock.monotonic() + pause
        )
        log.warning("mcp.unavailable", server=connection.server.id, user_id=key[0], reason=reason)

    def _refuse_failed(self, key: Key, server: McpServer) -> None:
        if self._ending:
            raise McpError("The server of this chat is being stopped.")
        failure = self._failed.get(key)
        is_fresh = failure is not None and self._clock.monotonic() < failure.retry_at
        if failure is not None and is_fresh and failure.server == server:
            raise McpError(failure.reason)

    def _make_room(self, user_id: UserId, server: McpServer) -> None:
        """Where there are too many, the one that was not used for longest is closed. Raises McpError."""
        self._keep_below(CONNECTIONS_OF_A_USER_MAX, lambda key: key[0] == user_id)
        if _is_program(server):
            self._keep_below(PROGRAMS_MAX, lambda key: _is_program(self._kept[key].server))
        self._keep_below(CONNECTIONS_MAX, lambda _: True)

    def _keep_below(self, most: int, counts: Callable[[Key], bool]) -> None:
        there = [key for key in self._kept if counts(key)]
        if len(there) < most:
            return
        unused = [key for key in there if self._kept[key].is_made and not self._kept[key].calls]
        if not unused:
            raise McpError(f"{most} connections to MCP servers are in use, and there may be no more.")
        oldest = min(unused, key=lambda key: self._kept[key].used_at)
        self._let_go(oldest, self._kept[oldest])

    def _let_go(self, key: Key, connection: Connection) -> None:
        connection.close()
        del self._kept[key]

    async def sweep(self) -> None:
        """Close what is not used any more, now and then, for as long as the process runs."""
        while True:
            await self._clock.sleep(SWEEP_SECONDS)
            unused_since = self._clock.monotonic() - IDLE_SECONDS
            for key, connection in [*self._kept.items()]:
                is_idle = connection.is_made and not connection.calls and connection.used_at <= unused_since
                if is_idle or connection.is_over:
                    self._let_go(key, connection)

    def end(self) -> None:
        """Close all at once. None is made any more."""
        self._ending = True
        for task in self._tasks:
            task.cancel()

    def state_of(self, user_id: UserId, server: McpServer) -> ServerState:
        key = (user_id, server.id)
        failure = self._failed.get(key)
        if (connected := self._connected(key)) is not None:
            return connected
        if failure is not None and failure.server == server:
            return ServerState(problem=failure.reason)
        return ServerState()

    def state_by_id(self, user_id: UserId, server_id: str) -> ServerState:
        """Of a server as it was used last, whatever its configuration is now."""
        # A server that is told which chat calls has a connection for each.
        keys = [
            key
            for key in (*self._kept, *self._failed)
            if key[0] == user_id and key[1].partition(" ")[0] == server_id
        ]
        for key in keys:
            if (connected := self._connected(key)) is not None:
                return connected
        failed = [self._failed[key] for key in keys if key in self._failed]
        return ServerState(problem=failed[-1].reason) if failed else ServerState()

    def _connected(self, key: Key) -> ServerState | None:
        connection = self._kept.get(key)
        if connection is None or not connection.is_made or (listing := connection.listing) is None:
            return None
        return ServerState(connected=True, tools=len(listing.tools), left_out=dict(listing.left_out))


def _is_program(server: McpServer) -> bool:
    return server.transport is Transport.STDIO


@asynccontextmanager
async def open_connections(open_session: OpenSession, clock: Clock) -> AsyncIterator[Connections]:
    """When the block ends, so have all connections and the programs behind them."""
    async with asyncio.TaskGroup() as group:
        connections = Connections(open_session, clock, group)
        sweeping = group.create_task(connections.sweep(), name="mcp sweep")
        try:
            yield connections
        finally:
            sweeping.cancel()
            connections.end()
