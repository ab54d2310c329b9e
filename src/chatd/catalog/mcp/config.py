"""MCP servers as administrators and users know them: rows, declared in `chatd.toml` or stored.

What is secret is apart, in `McpSecrets`, which is sealed at rest. Of it a row has the names alone.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.catalog.mcp.server import CALL_SECONDS, CONNECT_SECONDS, Transport
from chatd.domain.ids import UserId

McpServerId: TypeAlias = str

# No two underscores in a row, and none at the end: `slug__tool` is then split in one way only.
SLUG = "[a-z0-9]+(?:[-_][a-z0-9]+)*"
# So that most of the 64 characters of a tool's name are left for the tool.
SLUG_LENGTH_MAX = 32
DESCRIPTION_LENGTH_MAX = 1000
WORDS_MAX = 64
WORD_LENGTH_MAX = 4096
VARIABLES_MAX = 64
SECRET_BYTES_MAX = 16 * 1024
HEADERS_MAX = 32
HEADER_NAME_LENGTH_MAX = 200
TOOLS_LISTED_MAX = 256
TOOL_NAME_LENGTH_MAX = 256
SCOPES_LENGTH_MAX = 2000
CLIENT_ID_LENGTH_MAX = 1000
CONNECT_SECONDS_MAX = 60.0
CALL_SECONDS_MAX = 600.0

AUTHORIZATION = "Authorization"


class Scope(StrEnum):
    """Whose a server is."""

    DEPLOYMENT = "deployment"
    USER = "user"


class AuthType(StrEnum):
    NONE = "none"
    API_KEY = "api_key"
    CUSTOM_HEADERS = "custom_headers"
    OAUTH2 = "oauth2"


class Availability(StrEnum):
    """Which chats use it: all of them, those that do not say otherwise, or those that say so."""

    FORCE_ON = "force_on"
    DEFAULT_ON = "default_on"
    DEFAULT_OFF = "default_off"


class ClientAuth(StrEnum):
    """How the server shows an authorization server which client it is."""

    NONE = "none"
    BASIC = "client_secret_basic"
    POST = "client_secret_post"


class OAuth(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where users sign in, and as which client. All of the first three are there, or will be discovered."""

    client_id: str = ""
    auth_url: str = ""
    token_url: str = ""
    revocation_url: str | None = None
    scopes: str = ""
    # The fields that the server told, and that are asked for again when its address changes.
    discovered: tuple[str, ...] = ()
    issuer: str | None = None
    # What a token is asked for, where the server told how it calls itself.
    resource: str | None = None
    client_auth: ClientAuth = ClientAuth.NONE

    @property
    def is_complete(self) -> bool:
        return bool(self.client_id and self.auth_url and self.token_url)


class McpConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Its id never changes and never comes back."""

    id: McpServerId
    # None: it is for all users.
    owner_id: UserId | None = None
    slug: str
    # Of those for all users: the ids of the groups whose members alone are given it; None: everyone is.
    groups: tuple[str, ...] | None = None
    enabled: bool = True
    availability: Availability = Availability.DEFAULT_ON
    display_name: str = ""
    description: str = ""
    icon_url: str | None = None
    transport: Transport
    url: str | None = None
    command: tuple[str, ...] = ()
    auth_type: AuthType = AuthType.NONE
    api_key_header: str = AUTHORIZATION
    oauth: OAuth | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    model_intent: bool = False
    allow_in_plan_mode: bool = False
    forward_identity: bool = False
    connect_seconds: float = CONNECT_SECONDS
    call_seconds: float = CALL_SECONDS
    # What is sealed: that it is there, and what it is called.
    has_api_key: bool = False
    has_client_secret: bool = False
    header_names: tuple[str, ...] = ()
    env_names: tuple[str, ...] = ()
    # Counts the changes after which a sign-in of before is of no use.
    version: int = 1
    # Comes from `chatd.toml`, and can only be changed there.
    declared: bool = False

    @property
    def scope(self) -> Scope:
        return Scope.DEPLOYMENT if self.owner_id is None else Scope.USER

    @property
    def is_remote(self) -> bool:
        return self.transport is not Transport.STDIO

    @property
    def has_secrets(self) -> bool:
        return self.has_api_key or self.has_client_secret or bool(self.header_names or self.env_names)


class McpSecrets(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What only the server itself, or the program that it is, may read."""

    api_key: str | None = None
    client_secret: str | None = None
    headers: Mapping[str, str] = {}
    env: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return "McpSecrets(…)"


NO_SECRETS = McpSecrets()


class UnreadableServer(Struct, frozen=True, kw_only=True):
    """A stored server that a newer program has written, or that is damaged. It can be deleted."""

    id: McpServerId
    owner_id: UserId | None
    slug: str
    availability: str
    # For those who may change it.
    reason: str
