"""MCP servers from `chatd.toml`. They are read when the server starts, and can only be changed there."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import UUID, uuid5

from msgspec import UNSET, Struct
from msgspec.structs import replace

from chatd.catalog.mcp.config import (
    AUTHORIZATION,
    NO_SECRETS,
    AuthType,
    Availability,
    McpConfig,
    McpSecrets,
    McpServerId,
)
from chatd.catalog.mcp.edit import ServerEdit, edited, sign_in_of
from chatd.catalog.mcp.rules.checks import problem_of_server
from chatd.catalog.mcp.rules.values import problem_of_values
from chatd.catalog.mcp.server import CALL_SECONDS, CONNECT_SECONDS, Transport
from chatd.catalog.models.declared import GivenKey, KeyFile, KeySource
from chatd.catalog.rules.checks import refuse
from chatd.errors import BadInput, Misconfigured

_IDS = UUID("0d0f7f3c-52d4-4b5e-9d5c-7a1a3c1b9a44")
# Stands for a key that is read when it is used, from a file that may be replaced.
_LATER = "later"


class McpServerDeclaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[mcp_servers]]` table. A key is given in one of three ways, or not at all."""

    slug: str
    display_name: str = ""
    description: str = ""
    icon_url: str | None = None
    enabled: bool = True
    availability: Availability = Availability.DEFAULT_ON
    # Told by what there is: a command, or a url.
    transport: Transport | None = None
    url: str | None = None
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    # Variables of the server's own environment that the program is given as well.
    env_from: tuple[str, ...] = ()
    auth_type: AuthType = AuthType.NONE
    api_key_header: str = AUTHORIZATION
    api_key: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    custom_headers: Mapping[str, str] = {}
    oauth2_client_id: str = ""
    oauth2_client_secret: str | None = None
    oauth2_auth_url: str = ""
    oauth2_token_url: str = ""
    oauth2_revocation_url: str | None = None
    oauth2_scopes: str = ""
    tool_allow_list: tuple[str, ...] = ()
    tool_deny_list: tuple[str, ...] = ()
    model_intent: bool = False
    allow_in_plan_mode: bool = False
    forward_identity: bool = False
    connect_seconds: float = CONNECT_SECONDS
    call_seconds: float = CALL_SECONDS

    def __repr__(self) -> str:
        # Settings are printed and logged; the secrets must not be.
        return f"McpServerDeclaration({self.slug!r})"


class DeclaredServers(Struct, frozen=True, kw_only=True):
    servers: tuple[McpConfig, ...] = ()
    secrets: Mapping[McpServerId, McpSecrets] = {}
    keys: Mapping[McpServerId, KeySource] = {}

    async def secrets_of(self, server_id: McpServerId) -> McpSecrets:
        secrets, source = self.secrets[server_id], self.keys.get(server_id)
        if source is None:
            return secrets
        key = await asyncio.to_thread(source.read) if isinstance(source, KeyFile) else source.read()
        return replace(secrets, api_key=key)


NONE_DECLARED = DeclaredServers()


def declare_servers(
    declarations: Sequence[McpServerDeclaration], environment: Mapping[str, str]
) -> DeclaredServers:
    """Raises Misconfigured, naming what is wrong."""
    if len({each.slug for each in declarations}) < len(declarations):
        raise Misconfigured("Two [[mcp_servers]] have the same slug.")
    made = [_made(each, environment) for each in declarations]
    keys = zip(made, (_key(each, environment) for each in declarations), strict=True)
    return DeclaredServers(
        servers=tuple(config for config, _ in made),
        secrets={config.id: secrets for config, secrets in made},
        keys={config.id: key for (config, _), key in keys if key is not None},
    )


def _made(declared: McpServerDeclaration, environment: Mapping[str, str]) -> tuple[McpConfig, McpSecrets]:
    what = f"The [[mcp_servers]] table {declared.slug!r}"
    transport = declared.transport or (Transport.STDIO if declared.command else Transport.STREAMABLE_HTTP)
    named = "\n".join((declared.slug, transport, declared.url or "", *declared.command))
    blank = McpConfig(id=str(uuid5(_IDS, named)), slug=declared.slug, transport=transport, declared=True)
    edit = _edit_of(declared, transport, environment)
    try:
        refuse(problem_of_values(declared.slug, edit))
        config, secrets = edited(blank, NO_SECRETS, edit)
        refuse(problem_of_server(config, secrets, private_hosts=True))
    except BadInput as error:
        raise Misconfigured(f"{what}: {error.message} (`{error.field}`)") from error
    if config.oauth is not None and not config.oauth.is_complete:
        raise Misconfigured(
            f"{what} needs oauth2_client_id, oauth2_auth_url and oauth2_token_url. `chatd mcp add` asks the "
            "server for them."
        )
    # The id tells which server it is; a sign-in belongs to one as it was set up then.
    return replace(config, version=_version_of(config)), secrets


def _version_of(config: McpConfig) -> int:
    """The same for the same sign-in, on every server and after every start."""
    return uuid5(_IDS, repr(sign_in_of(config))).int % 2**31


def _edit_of(
    declared: McpServerDeclaration, transport: Transport, environment: Mapping[str, str]
) -> ServerEdit:
    has_key = any((declared.api_key, declared.api_key_env, declared.api_key_file))
    fields = {
        name: getattr(declared, name)
        for name in ServerEdit.__struct_fields__
        if name in McpServerDeclaration.__struct_fields__
    }
    env = {name: environment[name] for name in declared.env_from if name in environment}
    fields |= {
        "transport": transport,
        "env": {**env, **declared.env},
        "api_key_value": _LATER if has_key else UNSET,
        "api_key_header": declared.api_key_header if has_key else UNSET,
    }
    return ServerEdit(**fields)


def _key(declared: McpServerDeclaration, environment: Mapping[str, str]) -> KeySource | None:
    given = [declared.api_key, declared.api_key_env, declared.api_key_file]
    if sum(each is not None for each in given) > 1:
        raise Misconfigured(
            f"The [[mcp_servers]] table {declared.slug!r} has more than one of api_key, api_key_env and "
            "api_key_file."
        )
    if declared.api_key_file is not None:
        return KeyFile(Path(declared.api_key_file).expanduser())
    if declared.api_key_env is not None:
        return GivenKey(environment.get(declared.api_key_env, "").strip())
    return GivenKey(declared.api_key) if declared.api_key is not None else None
