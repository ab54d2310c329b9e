"""Every setting: what it is, what it may be, and its default."""

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import FieldInfo, fields

from chatd.accounts.ways_in.declared import NETWORKS_MAX, Oidc, ProxyHeader
from chatd.catalog.mcp.declared import McpServerDeclaration
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration
from chatd.domain.approvals.rule import Rule
from chatd.settings.policy import PolicySettings
from chatd.workspaces.local.sandbox.confine import SandboxMode

# What `chatd serve` also takes as a flag.
FLAGS = frozenset({"host", "port", "data_dir", "database_url", "workspace", "worker"})

# Lists, and what separates their elements in the environment: as in PATH, unless they may have colons.
LISTS: Mapping[str, str] = {
    "sandbox_readable": os.pathsep,
    "sandbox_writable": os.pathsep,
    "command_variables": os.pathsep,
    "fetch_private_hosts": ",",
    "allowed_hosts": ",",
    "cors_origins": ",",
    "embed_origins": ",",
    "trusted_proxies": ",",
}
PATHS_MAX = 100
HOSTS_MAX = 100

# Never shown, not even when they are wrong.
SECRETS = frozenset(
    {"admin_token", "database_url", "database_listen_url", "secret_key", "providers", "mcp_servers"}
)

# Tables, each of which may come several times: only a file can hold them.
TABLES: Mapping[str, type[Struct]] = {
    "providers": ProviderDeclaration,
    "models": ModelDeclaration,
    "mcp_servers": McpServerDeclaration,
    "rules": Rule,
}

# Tables that come once, and only in a file.
SECTIONS: Mapping[str, type[Struct]] = {
    "oidc": Oidc,
    "proxy_header": ProxyHeader,
}
FILE_ONLY = frozenset({*TABLES, *SECTIONS})

# Rules of the deployment: all of them are tried on what a call would do.
RULES_DECLARED_MAX = 500


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Approvals(StrEnum):
    ASK = "ask"
    NEVER = "never"


class LogFormat(StrEnum):
    AUTO = "auto"
    PRETTY = "pretty"
    JSON = "json"


class Settings(PolicySettings, frozen=True, kw_only=True):
    """`description` says what a setting is, `expected` what it may be, `default` what a default means."""

    host: Annotated[
        str,
        Meta(min_length=1, description="The address to listen on.", extra={"expected": "an address"}),
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Meta(
            ge=0,
            le=65535,
            description="The port to listen on; 0 takes any free one.",
            extra={"expected": "a whole number from 0 to 65535"},
        ),
    ] = 8787
    data_dir: Annotated[
        Path,
        Meta(
            description="The directory for the database and the administrator's token.",
            extra={
                "expected": "a path",
                "default": "`$XDG_DATA_HOME/chatd`, or else `~/.local/share/chatd`",
            },
        ),
    ]
    database_url: Annotated[
        str | None,
        Meta(
            description="Where chats are kept: `sqlite:///path` or `postgresql://user:password@host/name`.",
            extra={"expected": "an address", "default": "`chatd.db` in the data directory"},
        ),
    ] = None
    database_listen_url: Annotated[
        Annotated[str, Meta(pattern="^postgres(ql)?://")] | None,
        Meta(
            description="Where servers that share a PostgreSQL tell one another what has changed: the same "
            "database without a connection pooler in between, if the pooler does not support `LISTEN`.",
            extra={"expected": "an address of PostgreSQL", "default": "`database_url`"},
        ),
    ] = None
    admin_token: Annotated[
        str | None,
        Meta(
            description="The token of the user `admin`, at least 16 characters.",
            extra={"expected": "text", "default": "made at the first start, in `admin-token`"},
        ),
    ] = None
    secret_key: Annotated[
        str | None,
        Meta(
            description="What seals keys in the database: 32 bytes in base64. Servers that "
            "share a database need the same.",
            extra={"expected": "text", "default": "made at the first start, in `secret-key`"},
        ),
    ] = None
    worker: Annotated[
        bool,
        Meta(
            description="Whether this server drives chats, or only answers requests.",
            extra={"expected": "true or false"},
        ),
    ] = True
    concurrency: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000,
            description="How many chats may work at once: a model speaks, or tools run.",
            extra={"expected": "a whole number from 1 to 10000"},
        ),
    ] = 64
    family_cost_cents_max: Annotated[
        int,
        Meta(
            ge=0,
            le=100_000_000,
            description="What a chat and the chats that work for it may have cost, in hundredths of the "
            "currency; 0 for any cost. Then none is started, and those that work are stopped before their "
            "next call. A call without a known price costs nothing.",
            extra={"expected": "a whole number from 0 to 100000000"},
        ),
    ] = 0
    family_tokens_max: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000_000_000,
            description="What a chat and the chats that work for it may have used in tokens, in and out, "
            "whether they have a price or not; 0 for any number. Then the same happens.",
            extra={"expected": "a whole number from 0 to 1000000000000"},
        ),
    ] = 0
    workspace: Annotated[
        Path | None,
        Meta(
            description="The directory in which agents read, change and run things. A chat can also "
            "have a directory inside of it.",
            extra={"expected": "a path", "default": "none"},
        ),
    ] = None
    workspace_shared: Annotated[
        bool,
        Meta(
            description="Whether the workspace is for all users. Otherwise it is used only as long as there "
            "is one user: agents work there with the rights of the server.",
            extra={"expected": "true or false"},
        ),
    ] = False
    sandbox: Annotated[
        SandboxMode,
        Meta(
            description="Whether commands of agents run in a sandbox (bubblewrap). `require`: without one no "
            "command runs. `auto`: without one they run with the rights of the server, as long as there is "
            "one user, and that user is asked. `off`: always so.",
            extra={"expected": "one of " + ", ".join(SandboxMode)},
        ),
    ] = SandboxMode.AUTO
    sandbox_network: Annotated[
        bool,
        Meta(
            description="Whether commands in the sandbox can reach the network.",
            extra={"expected": "true or false"},
        ),
    ] = False
    sandbox_readable: Annotated[
        tuple[Path, ...],
        Meta(
            max_length=PATHS_MAX,
            description="What commands in the sandbox can read beside the workspace and the system: "
            "tools in a home directory, for example.",
            extra={"expected": "paths", "default": "none"},
        ),
    ] = ()
    sandbox_writable: Annotated[
        tuple[Path, ...],
        Meta(
            max_length=PATHS_MAX,
            description="What commands in the sandbox can change beside the workspace: a cache, for example.",
            extra={"expected": "paths", "default": "none"},
        ),
    ] = ()
    command_variables: Annotated[
        tuple[str, ...],
        Meta(
            max_length=PATHS_MAX,
            description="Variables of the server's environment that commands get too. Otherwise it is "
            "`PATH`, the language and the time zone; `CHATD_` variables never.",
            extra={"expected": "names of variables", "default": "none"},
        ),
    ] = ()
    command_memory_mib: Annotated[
        int,
        Meta(
            ge=64,
            le=16 * 1024 * 1024,
            description="How much memory a command may use, with all that it starts, in MiB. A command "
            "without a sandbox: each of its processes.",
            extra={"expected": "a whole number from 64 to 16777216"},
        ),
    ] = 16 * 1024
    command_processes: Annotated[
        int,
        Meta(
            ge=8,
            le=1_000_000,
            description="How many processes a command in the sandbox may have at once.",
            extra={"expected": "a whole number from 8 to 1000000"},
        ),
    ] = 1024
    command_cpu_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=30 * 86_400,
            description="How much CPU time each process of a command may use, in seconds.",
            extra={"expected": "a whole number from 1 to 2592000"},
        ),
    ] = 4 * 3600
    command_file_mib: Annotated[
        int,
        Meta(
            ge=1,
            le=16 * 1024 * 1024,
            description="How large a file may be that a command writes, in MiB.",
            extra={"expected": "a whole number from 1 to 16777216"},
        ),
    ] = 16 * 1024
    public_url: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$", max_length=2000)] | None,
        Meta(
            description="The address under which browsers reach this server, also with a path. Links to it "
            "are made with it, and users who sign in at MCP servers are sent back there.",
            extra={"expected": "an address", "default": "where it listens"},
        ),
    ] = None
    allowed_hosts: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^([a-z0-9._-]+|\[[0-9a-f:.]+\])$", max_length=260)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Names of hosts, without ports, that requests may be meant for: `example.org`. Those "
            "for others are refused, so that no page of others can have its name lead here.",
            extra={
                "expected": "names of hosts in lower case",
                "default": "the host of `public_url`; any, on other addresses than the loopback one",
            },
        ),
    ] = ()
    cors_origins: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^https?://[a-z0-9._\-\[\]:]+$", max_length=300)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Origins of pages of others whose scripts may call the API, with a token and never "
            "with a cookie: `https://app.example.org`. Each exactly as browsers write it; `*` is refused.",
            extra={"expected": "origins in lower case, without a path", "default": "none"},
        ),
    ] = ()
    embed_origins: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^https?://[a-z0-9._\-\[\]:]+$", max_length=300)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Origins of pages of others that may show the web page in a frame: "
            "`https://app.example.org`. Otherwise no page may.",
            extra={"expected": "origins in lower case, without a path", "default": "none"},
        ),
    ] = ()
    oidc: Annotated[
        Oidc | None,
        Meta(
            description="An identity provider (OpenID Connect) where people sign in, as an `[oidc]` table. "
            "[How](../operate/ways-in.md#an-identity-provider).",
            extra={"expected": "a table", "default": "none"},
        ),
    ] = None
    passwords: Annotated[
        bool,
        Meta(
            description="Whether people may sign in with a password that they have chosen. Needs the extra "
            "`passwords`.",
            extra={"expected": "true or false"},
        ),
    ] = False
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(
            max_length=NETWORKS_MAX,
            description="Addresses and networks of proxies that are believed: in `X-Forwarded-For`, where a "
            "request comes from, and in `X-Forwarded-Proto`, whether over HTTPS. Requests to sign in are "
            "counted by that address.",
            extra={"expected": "addresses or networks, such as 10.0.0.0/8", "default": "none"},
        ),
    ] = ()
    proxy_header: Annotated[
        ProxyHeader | None,
        Meta(
            description="A header in which the proxy before chatd says who asks, as a `[proxy_header]` "
            "table. [How](../operate/ways-in.md#a-proxy-that-says-who-asks).",
            extra={"expected": "a table", "default": "none"},
        ),
    ] = None
    metrics_listen: Annotated[
        Annotated[str, Meta(pattern=r"^(([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])?:)?[0-9]{1,5}$", max_length=260)]
        | None,
        Meta(
            description="Where `/metrics` is told without a token, beside its usual place: `127.0.0.1:9464`. "
            "A port alone is one of the loopback address.",
            extra={"expected": "an address with a port, or a port", "default": "nowhere"},
        ),
    ] = None
    metrics_public: Annotated[
        bool,
        Meta(
            description="Whether `metrics_listen` may be an address that other machines reach. Whoever "
            "reaches it reads the numbers.",
            extra={"expected": "true or false"},
        ),
    ] = False
    mcp_private_hosts: Annotated[
        bool,
        Meta(
            description="Whether users may add MCP servers on this machine and in its private networks, and "
            "servers may have them sign in there. Administrators may add such servers in any case.",
            extra={"expected": "true or false"},
        ),
    ] = False
    fetch_url: Annotated[
        bool,
        Meta(
            description="Whether agents have the tool `fetch_url`, which reads pages of the internet. A "
            "person is asked for each host, as the rules say.",
            extra={"expected": "true or false"},
        ),
    ] = True
    fetch_private_hosts: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9._\[\]:-]+$", max_length=260)], ...],
        Meta(
            max_length=HOSTS_MAX,
            description="Hosts on this machine and in its private networks that `fetch_url` may ask all the "
            "same, each with its port unless it is the usual one: `wiki.example.internal`, `127.0.0.1:3000`.",
            extra={"expected": "names of hosts in lower case", "default": "none"},
        ),
    ] = ()
    approvals: Annotated[
        Approvals,
        Meta(
            description="Whether people are asked before agents run commands or change files, as the rules "
            "say. `never`: what they would be asked for just runs, and only rules that deny count.",
            extra={"expected": "one of " + ", ".join(Approvals)},
        ),
    ] = Approvals.ASK
    rehearsal_log: Annotated[
        Path | None,
        Meta(
            description="A file to which the tools of the scripted model write what they did.",
            extra={"expected": "a path", "default": "none"},
        ),
    ] = None
    traces: Annotated[
        bool,
        Meta(
            description="Whether traces are sent to OpenTelemetry: how long requests, turns, calls of models "
            "and tools, and transactions take, and nothing that was said. Needs the extra `otel`; where they "
            "are sent is said by `OTEL_EXPORTER_OTLP_ENDPOINT`.",
            extra={"expected": "true or false"},
        ),
    ] = False
    debug_records: Annotated[
        bool,
        Meta(
            description="Whether all chats are recorded for debugging: what is sent to models, and what "
            "comes back. Otherwise administrators allow it, and users choose it for their chats.",
            extra={"expected": "true or false"},
        ),
    ] = False
    debug_retention_days: Annotated[
        int,
        Meta(
            ge=0,
            le=3650,
            description="How long such records are kept; 0 keeps them as long as their chats.",
            extra={"expected": "a whole number from 0 to 3650"},
        ),
    ] = 30
    log_level: Annotated[
        LogLevel,
        Meta(
            description="The least important thing that is logged.",
            extra={"expected": "one of " + ", ".join(LogLevel)},
        ),
    ] = LogLevel.INFO
    log_format: Annotated[
        LogFormat,
        Meta(
            description="How it is logged; `auto` is `pretty` on a terminal and `json` elsewhere.",
            extra={"expected": "one of " + ", ".join(LogFormat)},
        ),
    ] = LogFormat.AUTO
    providers: Annotated[
        tuple[ProviderDeclaration, ...],
        Meta(
            description="Places to call models at; each `[[providers]]` is one.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()
    models: Annotated[
        tuple[ModelDeclaration, ...],
        Meta(
            description="Models that chats may use; each `[[models]]` is one.",
            extra={"expected": "tables", "default": "the usual ones of each provider"},
        ),
    ] = ()
    mcp_servers: Annotated[
        tuple[McpServerDeclaration, ...],
        Meta(
            description="MCP servers for all users; each `[[mcp_servers]]` is one.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()
    rules: Annotated[
        tuple[Rule, ...],
        Meta(
            description="Rules for approvals that come before those of users and chats; each `[[rules]]` is "
            "one, and the first that fits counts.",
            extra={"expected": "tables", "default": "none"},
        ),
    ] = ()

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'chatd.db'}"


FIELDS: Mapping[str, FieldInfo] = {
    field.name: field
    # Where to listen is what people look for first.
    for field in sorted(fields(Settings), key=lambda field: field.name in PolicySettings.__struct_fields__)
}


def said(field: FieldInfo, what: str) -> str:
    # The last is what is said of the setting; one before it is of its type.
    *_, meta = (m for m in getattr(field.type, "__metadata__", ()) if isinstance(m, Meta))
    said = meta.description if what == "description" else (meta.extra or {}).get(what)
    return str(said or "")
