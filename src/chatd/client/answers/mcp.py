"""MCP servers."""

from msgspec import Struct

from chatd.client.answers.catalog import Unreadable
from chatd.client.answers.people import GroupName


class McpConnection(Struct, frozen=True, kw_only=True):
    """How the caller's chats stand with a server. Neither connected nor a problem: it was not needed."""

    connected: bool = False
    tools: int = 0
    problem: str | None = None


class McpServer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where agents get tools from. The fields from `groups` on are for those who may change it."""

    id: str
    slug: str
    # `deployment`: for all users; `user`: the caller's own.
    scope: str = "user"
    display_name: str = ""
    description: str = ""
    icon_url: str | None = None
    transport: str = "streamable_http"
    auth_type: str = "none"
    availability: str = "default_on"
    enabled: bool = True
    model_intent: bool = False
    allow_in_plan_mode: bool = False
    declared: bool = False
    # Whether the caller has signed in, where that is needed.
    auth_connected: bool = True
    unavailable_reason: str | None = None
    # None where the server that was asked runs no chats.
    connection: McpConnection | None = None
    has_api_key: bool = False
    has_custom_headers: bool = False
    has_env: bool = False
    has_oauth2_secret: bool = False
    # None: it is not for groups, or the caller may not know.
    groups: tuple[GroupName, ...] | None = None
    url: str | None = None
    command: tuple[str, ...] = ()
    env_names: tuple[str, ...] = ()
    api_key_header: str | None = None
    custom_header_names: tuple[str, ...] = ()
    oauth2_client_id: str | None = None
    oauth2_auth_url: str | None = None
    oauth2_token_url: str | None = None
    oauth2_revocation_url: str | None = None
    oauth2_scopes: str = ""
    tool_allow_list: tuple[str, ...] = ()
    tool_deny_list: tuple[str, ...] = ()
    forward_identity: bool = False
    connect_seconds: float | None = None
    call_seconds: float | None = None


class McpTool(Struct, frozen=True, kw_only=True):
    """`offered` is false where the lists of the server leave it out."""

    name: str
    description: str = ""
    offered: bool = True


class McpProbe(Struct, frozen=True, kw_only=True):
    """What came of trying an MCP server out."""

    slug: str
    is_well: bool
    says: str
    milliseconds: int = 0
    tools: tuple[McpTool, ...] = ()


class SignIn(Struct, frozen=True, kw_only=True):
    """Where to sign in at an MCP server."""

    authorization_url: str
    expires_in_seconds: int = 600


class Disconnected(Struct, frozen=True, kw_only=True):
    """Whether the token was taken back where it came from; the server has forgotten it in any case."""

    token_revoked: bool
    token_revocation_error: str | None = None


class McpServerList(Struct, frozen=True, kw_only=True):
    mcp_servers: tuple[McpServer, ...]
    unreadable: tuple[Unreadable, ...] = ()


class DeclaredMcpServer(Struct, frozen=True, kw_only=True):
    """An MCP server that a workspace declares. `status` is waiting_for_trust, not_connected, and so on."""

    name: str
    status: str
    transport: str | None = None
    command: tuple[str, ...] = ()
    url: str | None = None
    env_names: tuple[str, ...] = ()
    header_names: tuple[str, ...] = ()
    problem: str | None = None
    tools: int = 0


class WorkspaceMcpServers(Struct, frozen=True, kw_only=True):
    """What a workspace declares. `digest` is of the file, to say that this very one is trusted."""

    workspace: str
    digest: str | None = None
    trusted: bool = False
    servers: tuple[DeclaredMcpServer, ...] = ()
    problem: str | None = None
