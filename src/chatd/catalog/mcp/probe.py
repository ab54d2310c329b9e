"""Trying an MCP server out: one connection, and what came of it in words."""

from typing import Protocol

from msgspec import Struct

from chatd.catalog.mcp.config import McpConfig
from chatd.domain.ids import UserId


class ProbedTool(Struct, frozen=True, kw_only=True):
    """As the server calls it; `offered` is false where the lists of the server leave it out."""

    name: str
    description: str
    offered: bool


class McpProbe(Struct, frozen=True, kw_only=True):
    """`says` is a sentence for a person: what the server offers, or what stood in the way."""

    slug: str
    is_well: bool
    says: str
    milliseconds: int = 0
    tools: tuple[ProbedTool, ...] = ()


class McpProber(Protocol):
    async def probe(self, config: McpConfig, user_id: UserId) -> McpProbe:
        """Connect as this user. Raises nothing: what goes wrong is the result."""
        ...


class NoMcpProber:
    """A server that connects to no MCP servers."""

    async def probe(self, config: McpConfig, user_id: UserId) -> McpProbe:  # noqa: ARG002
        return McpProbe(
            slug=config.slug, is_well=False, says="This server connects to no MCP servers itself."
        )
