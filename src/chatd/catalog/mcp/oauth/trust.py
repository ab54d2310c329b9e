"""Which addresses an administrator has named. Those may be private; what servers tell may not. Pure."""

from chatd.catalog.mcp.config import McpConfig, OAuth, Scope
from chatd.catalog.mcp.oauth.metadata import origin_of


def is_named(config: McpConfig, url: str, field: str | None = None) -> bool:
    """Whether an administrator has named this address, or the MCP server at the same host and port.

    `field` of `OAuth` is where the address comes from, if it is kept there.
    """
    if config.scope is not Scope.DEPLOYMENT or config.url is None:
        return False
    is_given = field is not None and field not in (config.oauth or OAuth()).discovered
    return is_given or origin_of(url) == origin_of(config.url)
