"""The MCP servers of a chat, with everything that is needed to connect to them.

Which servers there are is remembered for a few seconds. Secrets are not: where a server has any, it is read
together with them, so that no key is ever sent to an address of before.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TypeAlias

import structlog

from chatd.catalog.mcp.config import AUTHORIZATION, AuthType, McpConfig, McpSecrets, McpServerId
from chatd.catalog.mcp.inventory import McpInventory
from chatd.catalog.mcp.rules.values import problem_of_header_value
from chatd.catalog.mcp.server import McpServer
from chatd.catalog.mcp.store import McpStore
from chatd.domain.ids import UserId

log = structlog.get_logger()

# The tokens of a user for those of these servers where they have signed in.
TokensOf: TypeAlias = Callable[[UserId, Collection[McpConfig]], Awaitable[Mapping[McpServerId, str]]]


class McpResolver:
    def __init__(
        self,
        store: McpStore,
        remembered: Callable[[UserId], Awaitable[McpInventory]],
        tokens_of: TokensOf,
        *,
        private_hosts: bool,
    ) -> None:
        self._store = store
        self._remembered = remembered
        self._tokens_of = tokens_of
        self._private_hosts = private_hosts

    async def servers_of(
        self, user_id: UserId, selection: Collection[McpServerId] | None = None
    ) -> tuple[McpServer, ...]:
        """Those of a chat of this user that has chosen these; None: those that are on by default.

        In an order that stays. Those where the user has to sign in first are left out, and those whose
        secrets cannot be read. Raises NotAllowed when one that must be there cannot be read.
        """
        chosen = (await self._remembered(user_id)).in_use(selection)
        if not any(_needs_secrets(each) for each in chosen):
            return tuple(self.resolved(each, McpSecrets(), None) for each in chosen)
        snapshot = await self._store.snapshot(user_id)
        chosen = snapshot.inventory.in_use(selection)
        tokens = await self._tokens_of(user_id, [each for each in chosen if each.oauth is not None])
        found = [
            self._with_secrets(each, await self._store.secrets_of(each, snapshot), tokens.get(each.id))
            for each in chosen
        ]
        return tuple(each for each in found if each is not None)

    async def server(self, user_id: UserId, config: McpConfig) -> McpServer | None:
        """One server as this user calls it, switched on or not; None where something is missing."""
        opened = await self._store.snapshot(user_id)
        current = opened.inventory.server(config.id)
        if current is None:
            return None
        tokens = await self._tokens_of(user_id, [current] if current.oauth is not None else [])
        secrets = await self._store.secrets_of(current, opened)
        return self._with_secrets(current, secrets, tokens.get(current.id))

    def _with_secrets(
        self, config: McpConfig, secrets: McpSecrets | None, token: str | None
    ) -> McpServer | None:
        match config.auth_type:
            case _ if secrets is None:
                return None
            case AuthType.OAUTH2 if token is None:
                return None
            case AuthType.API_KEY if problem_of_header_value(secrets.api_key or "") is not None:
                # It comes from a file or a variable, in which there is something else, or nothing.
                log.warning("mcp_server.no_key", id=config.id, slug=config.slug)
                return None
            case _:
                return self.resolved(config, secrets, token)

    def resolved(self, config: McpConfig, secrets: McpSecrets, token: str | None) -> McpServer:
        return McpServer(
            id=config.id,
            slug=config.slug,
            transport=config.transport,
            url=config.url,
            headers=headers_of(config, secrets, token),
            command=config.command,
            env=secrets.env,
            allow=config.allow,
            deny=config.deny,
            model_intent=config.model_intent,
            allow_in_plan_mode=config.allow_in_plan_mode,
            forward_identity=config.forward_identity,
            private_addresses=self._private_hosts or config.owner_id is None,
            connect_seconds=config.connect_seconds,
            call_seconds=config.call_seconds,
        )


def headers_of(config: McpConfig, secrets: McpSecrets, token: str | None) -> dict[str, str]:
    """What tells the server who calls. Pure."""
    match config.auth_type:
        case AuthType.NONE:
            return {}
        case AuthType.API_KEY:
            return {config.api_key_header: _in_header(config.api_key_header, secrets.api_key or "")}
        case AuthType.CUSTOM_HEADERS:
            return dict(secrets.headers)
        case AuthType.OAUTH2:
            return {AUTHORIZATION: f"Bearer {token}"}


def _in_header(header: str, key: str) -> str:
    """Most people are given a key, and not what comes before it. Two words have their scheme already."""
    return f"Bearer {key}" if header.lower() == AUTHORIZATION.lower() and " " not in key else key


def _needs_secrets(config: McpConfig) -> bool:
    return config.auth_type is not AuthType.NONE or bool(config.env_names)
