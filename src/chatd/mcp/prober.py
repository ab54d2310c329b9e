"""Tries out the servers that administrators and users have added, for the API."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from chatd.catalog.mcp.config import McpConfig
from chatd.catalog.mcp.probe import McpProbe, ProbedTool
from chatd.catalog.mcp.server import McpServer
from chatd.domain.ids import UserId
from chatd.kit.clock import Clock
from chatd.kit.text import one_line, shortened
from chatd.mcp.connections.opening import OpenSession
from chatd.mcp.probe import probe
from chatd.mcp.tools.listing import Listing
from chatd.mcp.tools.tool import is_allowed

DESCRIPTION_CHARACTERS_MAX = 200

# A server with the secrets that this user calls it with; None: they have to sign in, or a secret is missing.
ServerOf: TypeAlias = Callable[[UserId, McpConfig], Awaitable[McpServer | None]]


class ServerProber:
    """See `McpProber`."""

    def __init__(self, server_of: ServerOf, open_session: OpenSession, clock: Clock) -> None:
        self._server_of = server_of
        self._open_session = open_session
        self._clock = clock

    async def probe(self, config: McpConfig, user_id: UserId) -> McpProbe:
        server = await self._server_of(user_id, config)
        if server is None:
            return McpProbe(slug=config.slug, is_well=False, says=_not_ready(config))
        probed = await probe(self._open_session, server, self._clock)
        return McpProbe(
            slug=config.slug,
            is_well=probed.problem is None,
            says=probed.problem or _sentence(server, probed.listing),
            milliseconds=probed.milliseconds,
            tools=_tools(server, probed.listing),
        )


def _not_ready(config: McpConfig) -> str:
    if config.oauth is not None:
        return f"You have not signed in there. Do so with `chatd mcp connect {config.slug}`."
    return "Its secrets are missing, or cannot be read. Set them again."


def _sentence(server: McpServer, listing: Listing) -> str:
    offered = sum(is_allowed(server, tool.name) for tool in listing.tools)
    number = len(listing.tools)
    count = "no tools" if not number else "1 tool" if number == 1 else f"{number} tools"
    said = f"It has {count}." if offered == len(listing.tools) else f"It has {count}; offered: {offered}."
    left_out = "; ".join(f"{number} because {reason}" for reason, number in listing.left_out.items())
    return f"{said} Left out: {left_out}." if left_out else said


def _tools(server: McpServer, listing: Listing) -> tuple[ProbedTool, ...]:
    return tuple(
        ProbedTool(
            name=tool.name,
            description=shortened(one_line(tool.description), DESCRIPTION_CHARACTERS_MAX),
            offered=is_allowed(server, tool.name),
        )
        for tool in listing.tools
    )
