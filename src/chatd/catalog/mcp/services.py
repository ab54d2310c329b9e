"""What the API works with, when it is about MCP servers."""

from msgspec import Struct

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.administration import McpAdministration
from chatd.catalog.mcp.declared import NONE_DECLARED, DeclaredServers
from chatd.catalog.mcp.reach import Reach
from chatd.catalog.mcp.store import McpStore
from chatd.storage.transact import Store


class McpServices(Struct, frozen=True, kw_only=True):
    administration: McpAdministration


def mcp_services(
    store: Store, secrets: Secrets, *, reach: Reach, declared: DeclaredServers = NONE_DECLARED
) -> McpServices:
    return McpServices(administration=McpAdministration(McpStore(store, secrets, declared), reach))
