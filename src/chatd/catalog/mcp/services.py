"""What the API works with, when it is about MCP servers."""

from msgspec import Struct

from chatd.catalog.mcp.administration import McpAdministration
from chatd.catalog.mcp.reach import Reach
from chatd.catalog.mcp.store import McpStore


class McpServices(Struct, frozen=True, kw_only=True):
    store: McpStore
    administration: McpAdministration


def mcp_services(store: McpStore, reach: Reach) -> McpServices:
    return McpServices(store=store, administration=McpAdministration(store, reach))
