"""The shapes of the MCP servers that a workspace declares. No value of a variable or header is in one."""

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from chatd.catalog.mcp.server import Transport
from chatd.workspaces.places import PATH_BYTES_MAX

WorkspacePath: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=PATH_BYTES_MAX,
        description="The directory: that of the server, or one inside of it. Not named: that of the server.",
    ),
]


class NamedWorkspace(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    workspace: WorkspacePath = "."


class TrustServers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    digest: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$", description="Of the file as you have seen it, from the answer to GET."
        ),
    ]
    workspace: WorkspacePath = "."


class ServerStatus(StrEnum):
    WAITING_FOR_TRUST = "waiting_for_trust"
    # Chats connect to it when they need it.
    NOT_CONNECTED = "not_connected"
    CONNECTED = "connected"
    UNUSABLE = "unusable"


class DeclaredServerView(Struct, frozen=True, kw_only=True):
    """As it is written in the file, with its variables; of variables and headers the names alone."""

    name: Annotated[str, Meta(description="Its tools are called NAME__TOOL.")]
    status: ServerStatus
    transport: Transport | None = None
    command: tuple[str, ...] = ()
    url: str | None = None
    env_names: tuple[str, ...] = ()
    header_names: tuple[str, ...] = ()
    problem: Annotated[str | None, Meta(description="Why it cannot be used.")] = None
    tools: Annotated[int, Meta(description="How many it offers, while it is connected.")] = 0


class WorkspaceServersView(Struct, frozen=True, kw_only=True):
    """Programs among these run in the workspace, as commands do, once you trust the file."""

    workspace: str
    digest: Annotated[str | None, Meta(description="Of the file; null when nothing is declared.")] = None
    trusted: Annotated[bool, Meta(description="Whether you trust this very file.")] = False
    servers: tuple[DeclaredServerView, ...] = ()
    problem: Annotated[str | None, Meta(description="Why the file cannot be used.")] = None
