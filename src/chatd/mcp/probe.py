"""Tries an MCP server out: connects to it, reads its tools, and lets go of it again."""

import asyncio
from collections.abc import Mapping
from functools import partial

from msgspec import Struct

from chatd.catalog.mcp.server import McpServer, Transport
from chatd.kit.clock import Clock, milliseconds
from chatd.mcp.connections.connection import Connection
from chatd.mcp.connections.opening import OpenSession
from chatd.mcp.connections.program import open_program
from chatd.mcp.connections.session import McpError
from chatd.mcp.tools.listing import Listing


class Probed(Struct, frozen=True, kw_only=True):
    """What came of it. `problem` is why it cannot be used, in words without secrets."""

    listing: Listing = Listing()
    problem: str | None = None
    milliseconds: int = 0

    @property
    def left_out(self) -> Mapping[str, int]:
        return self.listing.left_out


async def probe(open_session: OpenSession, server: McpServer, clock: Clock) -> Probed:
    """With a connection of its own, so that no other one is disturbed, and nothing remembered is believed."""
    open_pipes = partial(open_program, server) if server.transport is Transport.STDIO else None
    connection = Connection(server, open_session, open_pipes, clock)
    began = clock.monotonic()
    async with asyncio.TaskGroup() as group:
        group.create_task(connection.run(), name=f"probe {server.id}")
        try:
            await connection.begun()
            listing, problem = await connection.tools(), None
        except McpError as error:
            listing, problem = Listing(), str(error)
        finally:
            connection.close()
        took = milliseconds(clock.monotonic() - began)
    return Probed(listing=listing, problem=problem, milliseconds=took)
