"""The shapes of MCP servers on the wire. No secret ever leaves the server in one."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.users import NAME_LENGTH_MAX
from chatd.api.catalog.bodies import UnreadableView
from chatd.catalog.mcp.config import (
    CALL_SECONDS_MAX,
    CLIENT_ID_LENGTH_MAX,
    CONNECT_SECONDS_MAX,
    DESCRIPTION_LENGTH_MAX,
    HEADER_NAME_LENGTH_MAX,
    HEADERS_MAX,
    SCOPES_LENGTH_MAX,
    SECRET_BYTES_MAX,
    SLUG,
    SLUG_LENGTH_MAX,
    TOOL_NAME_LENGTH_MAX,
    TOOLS_LISTED_MAX,
    VARIABLES_MAX,
    WORD_LENGTH_MAX,
    WORDS_MAX,
    AuthType,
    Availability,
    Scope,
)
from chatd.catalog.mcp.inventory import Reason
from chatd.catalog.mcp.server import CALL_SECONDS, CONNECT_SECONDS, Transport
from chatd.catalog.models.rows import Address, DisplayName
from chatd.domain.people.given import GROUPS_GIVEN_MAX

# `catalog/mcp/rules/checks.py` sees to most of these bounds, with errors of its own: here they are told.
Description: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": DESCRIPTION_LENGTH_MAX})]
Secret: TypeAlias = Annotated[
    str,
    Meta(description="Never shown again.", extra_json_schema={"maxLength": SECRET_BYTES_MAX}),
]
# Of a patch: an empty one removes it.
NewSecret: TypeAlias = Annotated[
    str,
    Meta(
        description="Never shown again. Empty or null removes it.",
        extra_json_schema={"maxLength": SECRET_BYTES_MAX},
    ),
]
Command: TypeAlias = Annotated[
    tuple[str, ...],
    Meta(
        max_length=WORDS_MAX,
        description="Of stdio: a program of the server's machine, and its arguments. Secrets go into `env`.",
        extra_json_schema={"items": {"type": "string", "maxLength": WORD_LENGTH_MAX}},
    ),
]
Environment: TypeAlias = Annotated[
    dict[str, str],
    Meta(
        description="Variables for the program. Never shown again.",
        extra_json_schema={"maxProperties": VARIABLES_MAX},
    ),
]
Headers: TypeAlias = Annotated[
    dict[str, str],
    Meta(
        description="Sent with every request. Never shown again.",
        extra_json_schema={"maxProperties": HEADERS_MAX},
    ),
]
HeaderName: TypeAlias = Annotated[
    str,
    Meta(
        description="The header for the key. In `Authorization` a key of one word follows `Bearer`.",
        extra_json_schema={"minLength": 1, "maxLength": HEADER_NAME_LENGTH_MAX},
    ),
]
ClientId: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": CLIENT_ID_LENGTH_MAX})]
Scopes: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": SCOPES_LENGTH_MAX})]
ToolNames: TypeAlias = Annotated[
    tuple[str, ...],
    Meta(
        max_length=TOOLS_LISTED_MAX,
        extra_json_schema={"items": {"type": "string", "minLength": 1, "maxLength": TOOL_NAME_LENGTH_MAX}},
    ),
]
Allowed: TypeAlias = Annotated[ToolNames, Meta(description="The only tools that are offered; none: all.")]
Denied: TypeAlias = Annotated[ToolNames, Meta(description="Tools that are never offered, allowed or not.")]
Groups: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=NAME_LENGTH_MAX)], ...],
    Meta(
        max_length=GROUPS_GIVEN_MAX,
        description="Of the scope deployment: the groups, by id or name, whose members alone are given it. "
        "null: everyone is. Chats that have it keep it.",
    ),
]
Intent: TypeAlias = Annotated[bool, Meta(description="The model says what each call is for.")]
InPlanMode: TypeAlias = Annotated[
    bool,
    Meta(description="Chats in plan mode have all its tools, and not only those that it marks as read-only."),
]
Identity: TypeAlias = Annotated[
    bool, Meta(description="The server is told the owner and the chat of a call, in headers.")
]
ConnectSeconds: TypeAlias = Annotated[
    float, Meta(extra_json_schema={"minimum": 1, "maximum": CONNECT_SECONDS_MAX})
]
CallSeconds: TypeAlias = Annotated[float, Meta(extra_json_schema={"minimum": 1, "maximum": CALL_SECONDS_MAX})]


class _Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class CreateMcpServer(_Request, frozen=True, kw_only=True):
    slug: Annotated[
        str,
        Meta(
            description="The prefix of the names of its tools: lower-case words joined by single hyphens or "
            "underscores. It cannot be changed.",
            extra_json_schema={"minLength": 1, "maxLength": SLUG_LENGTH_MAX, "pattern": f"^{SLUG}$"},
        ),
    ]
    scope: Annotated[
        Scope, Meta(description="Whose it is. Servers for all users are for administrators to add.")
    ] = Scope.USER
    transport: Annotated[
        Transport, Meta(description="stdio: a program on the server's machine, for all users.")
    ] = Transport.STREAMABLE_HTTP
    url: Address | None = None
    command: Command = ()
    env: Environment = {}
    display_name: DisplayName = ""
    description: Description = ""
    icon_url: Address | None = None
    enabled: bool = True
    availability: Availability = Availability.DEFAULT_ON
    groups: Groups | None = None
    auth_type: AuthType = AuthType.NONE
    api_key_header: HeaderName | UnsetType = UNSET
    api_key_value: Secret | UnsetType = UNSET
    custom_headers: Headers | UnsetType = UNSET
    oauth2_client_id: Annotated[
        ClientId | UnsetType,
        Meta(description="With the next two, or without all three: then the server is asked for them."),
    ] = UNSET
    oauth2_client_secret: Secret | UnsetType = UNSET
    oauth2_auth_url: Address | UnsetType = UNSET
    oauth2_token_url: Address | UnsetType = UNSET
    oauth2_revocation_url: Address | UnsetType = UNSET
    oauth2_scopes: Scopes | UnsetType = UNSET
    tool_allow_list: Allowed = ()
    tool_deny_list: Denied = ()
    model_intent: Intent = False
    allow_in_plan_mode: InPlanMode = False
    forward_identity: Identity = False
    connect_seconds: ConnectSeconds = CONNECT_SECONDS
    call_seconds: CallSeconds = CALL_SECONDS


class PatchMcpServer(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is. With another `auth_type` the fields of the one before are removed."""

    transport: Transport | UnsetType = UNSET
    url: Address | UnsetType | None = UNSET
    command: Command | UnsetType = UNSET
    env: Environment | UnsetType | None = UNSET
    display_name: DisplayName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    icon_url: Address | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET
    availability: Availability | UnsetType = UNSET
    groups: Groups | UnsetType | None = UNSET
    auth_type: AuthType | UnsetType = UNSET
    api_key_header: HeaderName | UnsetType = UNSET
    api_key_value: NewSecret | UnsetType | None = UNSET
    custom_headers: Headers | UnsetType | None = UNSET
    oauth2_client_id: ClientId | UnsetType | None = UNSET
    oauth2_client_secret: NewSecret | UnsetType | None = UNSET
    oauth2_auth_url: Address | UnsetType | None = UNSET
    oauth2_token_url: Address | UnsetType | None = UNSET
    oauth2_revocation_url: Address | UnsetType | None = UNSET
    oauth2_scopes: Scopes | UnsetType | None = UNSET
    tool_allow_list: Allowed | UnsetType = UNSET
    tool_deny_list: Denied | UnsetType = UNSET
    model_intent: Intent | UnsetType = UNSET
    allow_in_plan_mode: InPlanMode | UnsetType = UNSET
    forward_identity: Identity | UnsetType = UNSET
    connect_seconds: ConnectSeconds | UnsetType = UNSET
    call_seconds: CallSeconds | UnsetType = UNSET


class ConnectionView(Struct, frozen=True, kw_only=True):
    """How your chats stand with a server, in this process. Without either it was not needed lately."""

    connected: bool
    tools: int
    problem: Annotated[str | None, Meta(description="Why it could not be connected to the last time.")]


class GivenGroupView(Struct, frozen=True, kw_only=True):
    id: str
    name: str


class McpServerView(Struct, frozen=True, kw_only=True):
    id: str
    slug: str
    scope: Scope
    display_name: str
    description: str
    icon_url: str | None
    transport: Transport
    auth_type: AuthType
    availability: Availability
    enabled: bool
    model_intent: bool
    allow_in_plan_mode: bool
    declared: Annotated[bool, Meta(description="In chatd.toml; it can only be changed there.")]
    auth_connected: Annotated[
        bool, Meta(description="Whether nothing is left for you to do: true unless you have to sign in.")
    ]
    unavailable_reason: Annotated[Reason | None, Meta(description="Why your chats cannot choose it now.")]
    connection: Annotated[ConnectionView | None, Meta(description="Null where this process runs no chats.")]
    has_api_key: bool
    has_custom_headers: bool
    has_env: bool
    has_oauth2_secret: bool
    # For those who may change it.
    groups: Annotated[
        tuple[GivenGroupView, ...] | UnsetType | None,
        Meta(description="Whose members alone are given it; null: everyone is."),
    ] = UNSET
    url: str | UnsetType | None = UNSET
    command: tuple[str, ...] | UnsetType = UNSET
    env_names: tuple[str, ...] | UnsetType = UNSET
    api_key_header: str | UnsetType = UNSET
    custom_header_names: tuple[str, ...] | UnsetType = UNSET
    oauth2_client_id: str | UnsetType | None = UNSET
    oauth2_auth_url: str | UnsetType | None = UNSET
    oauth2_token_url: str | UnsetType | None = UNSET
    oauth2_revocation_url: str | UnsetType | None = UNSET
    oauth2_scopes: str | UnsetType = UNSET
    tool_allow_list: tuple[str, ...] | UnsetType = UNSET
    tool_deny_list: tuple[str, ...] | UnsetType = UNSET
    forward_identity: bool | UnsetType = UNSET
    connect_seconds: float | UnsetType = UNSET
    call_seconds: float | UnsetType = UNSET


class SignIn(Struct, frozen=True, kw_only=True):
    authorization_url: Annotated[
        str,
        Meta(description="Open it in a browser and sign in. The browser then shows a code, for `finish`."),
    ]
    expires_in_seconds: int


class FinishSignIn(_Request, frozen=True, kw_only=True):
    code: Annotated[
        str, Meta(min_length=1, max_length=100, description="As the browser shows it after the sign-in.")
    ]


class CallbackQuery(Struct, frozen=True, kw_only=True):
    """What a browser comes back with from an authorization server, which may add anything to it."""

    state: Annotated[str, Meta(max_length=200)] = ""
    code: Annotated[str, Meta(max_length=4096)] = ""
    iss: Annotated[str, Meta(max_length=2000)] = ""
    error: Annotated[str, Meta(max_length=1000)] = ""


class McpServerList(Struct, frozen=True, kw_only=True):
    mcp_servers: tuple[McpServerView, ...]
    # For those who may delete them, if there are any.
    unreadable: tuple[UnreadableView, ...] | UnsetType = UNSET
