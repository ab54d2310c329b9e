"""An MCP server as it is to be connected to."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

CONNECT_SECONDS = 10.0
CALL_SECONDS = 60.0


class Transport(StrEnum):
    STDIO = "stdio"
    STREAMABLE_HTTP = "streamable_http"
    SSE = "sse"


class McpServer(Struct, frozen=True, kw_only=True):
    """One server with everything resolved for one user. Holds secrets: it is never stored or returned.

    Two of the same value are the same connection.
    """

    # Unique among the servers of all sources.
    id: str
    # What the names of its tools begin with.
    slug: str
    transport: Transport
    url: str | None = None
    # With those that authenticate us.
    headers: Mapping[str, str] = {}
    # The program and its arguments.
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    # Names of tools as the server has them. Without any, all are allowed; a tool on both lists is denied.
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    # Whether a model is asked to say what each call is for.
    model_intent: bool = False
    # Whether chats in plan mode have all its tools, and not only those that it says change nothing.
    allow_in_plan_mode: bool = False
    # Whether it is told whose call it is, and in which chat: `identity.py`.
    forward_identity: bool = False
    # Whether its address may be this machine, or in a private network.
    private_addresses: bool = False
    connect_seconds: float = CONNECT_SECONDS
    call_seconds: float = CALL_SECONDS

    def __repr__(self) -> str:
        """Without what is secret: a traceback or a failed assertion may show it."""
        return f"McpServer(id={self.id!r}, slug={self.slug!r}, transport={self.transport.value!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("slug", self.slug)]
