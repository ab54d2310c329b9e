"""The tools that the MCP servers of a chat offer."""

import asyncio
from collections.abc import Mapping
from functools import partial

import structlog
from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.mcp.connections.connections import Connections
from chatd.mcp.connections.session import McpError
from chatd.mcp.limits import SERVERS_MAX, TOOLS_OF_A_CHAT_MAX
from chatd.mcp.tools.listing import Listing
from chatd.mcp.tools.names import BETWEEN, cleaned, distinct, tool_name
from chatd.mcp.tools.tool import Remote, Source, Wanted, is_allowed, make_tool
from chatd.tools.tool import AnyTool

log = structlog.get_logger()


class Offered(Struct, frozen=True, kw_only=True):
    """A tool of a server, with what there is to know of it when a model looks for tools."""

    tool: AnyTool
    # What the names of this server's tools begin with.
    server: str
    schema_bytes: int
    # Whether chats that may change nothing can have it.
    in_plan_mode: bool = False


class McpTools(Struct, frozen=True, kw_only=True):
    """What a chat has of its MCP servers."""

    offered: tuple[Offered, ...] = ()
    # Why the tools of a server are not there, by what their names begin with.
    absent: Mapping[str, str] = {}

    def missing(self, name: str) -> str | None:
        """Why there is no tool of this name, if a server is known that could have it."""
        slug, between, _ = name.partition(BETWEEN)
        reason = self.absent.get(slug) if between else None
        return f"The MCP server {slug} cannot be used now. {reason}" if reason else None


async def mcp_tools(
    connections: Connections, user_id: UserId, source: Source, absent: Mapping[str, str] | None = None
) -> McpTools:
    """All servers are connected to at once. One that cannot be is left out, as its connection has logged.

    `absent` are servers that are known, and are not to be connected to.
    """
    wanted = (await source())[:SERVERS_MAX]
    if not wanted:
        return McpTools(absent=absent or {})
    # By what is configured, whether the servers answer or not: a name must not change its meaning.
    slugs = distinct(cleaned(each.server.slug) for each in wanted)
    async with asyncio.TaskGroup() as group:
        reading = [group.create_task(_listing(connections, user_id, each)) for each in wanted]
    listings = [task.result() for task in reading]
    reasons = {slug: read for slug, read in zip(slugs, listings, strict=True) if isinstance(read, str)}
    found = [
        (each, slug, tool)
        for each, slug, read in zip(wanted, slugs, listings, strict=True)
        if isinstance(read, Listing)
        for tool in read.tools
        if is_allowed(each.server, tool.name)
    ]
    if len(found) > TOOLS_OF_A_CHAT_MAX:
        log.warning("mcp.tools_left_out", user_id=user_id, count=len(found) - TOOLS_OF_A_CHAT_MAX)
        found = found[:TOOLS_OF_A_CHAT_MAX]
    names = distinct(tool_name(slug, tool.name) for _, slug, tool in found)
    here = partial(Remote, connections=connections, user_id=user_id, source=source)
    offered = tuple(
        Offered(
            tool=make_tool(name, each, tool, here(server_id=each.server.id, tool=tool.name)),
            server=slug,
            schema_bytes=tool.schema_bytes,
            in_plan_mode=each.server.allow_in_plan_mode or tool.read_only,
        )
        for name, (each, slug, tool) in zip(names, found, strict=True)
    )
    connected = {slug for slug in slugs if slug not in reasons}
    others = {slug: why for slug, why in (absent or {}).items() if slug not in connected}
    return McpTools(offered=offered, absent={**others, **reasons})


async def _listing(connections: Connections, user_id: UserId, wanted: Wanted) -> Listing | str:
    """What the server offers, or why nothing is."""
    try:
        connection = await connections.to(user_id, wanted.server, wanted.open_pipes)
        return await connection.tools()
    except McpError as error:
        return str(error)
