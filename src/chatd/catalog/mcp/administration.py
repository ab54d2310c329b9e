"""Adding and changing MCP servers: what is asked for is checked, completed, and then saved.

Nothing is saved before everything has been found out, so a refusal changes nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec.structs import replace

from chatd.catalog.mcp.config import NO_SECRETS, McpConfig, McpSecrets, Scope
from chatd.catalog.mcp.edit import ServerEdit, edited, with_names
from chatd.catalog.mcp.oauth.discovery import Discovered
from chatd.catalog.mcp.rules.checks import NOT_TOGETHER, problem_of_server
from chatd.catalog.mcp.rules.reach import problem_of_address
from chatd.catalog.mcp.rules.values import problem_of_values
from chatd.catalog.mcp.server import Transport
from chatd.catalog.mcp.store import McpStore
from chatd.catalog.rules.checks import Problem, refuse
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy
from chatd.errors import BadInput, NotFound
from chatd.kit.ids import new_id
from chatd.kit.outbound.reach import Reach

# Finds out where users of a server sign in. Raises BadInput.
Discover: TypeAlias = Callable[[McpConfig], Awaitable[Discovered]]

# For all that is asked of the server and of the authorization server.
DISCOVERY_SECONDS = 30.0


class McpAdministration:
    def __init__(self, store: McpStore, reach: Reach, discover: Discover) -> None:
        self._store = store
        self._reach = reach
        self._discover = discover

    async def add(
        self, owner_id: UserId | None, slug: str, edit: ServerEdit, *, by: AskedBy = THE_SERVER
    ) -> McpConfig:
        """Raises BadInput, NotAllowed and LimitReached."""
        blank = McpConfig(id=new_id(), owner_id=owner_id, slug=slug, transport=Transport.STREAMABLE_HTTP)
        refuse(problem_of_values(slug, edit))
        config, secrets = edited(blank, NO_SECRETS, edit)
        refuse(self._problem_of(config, secrets))
        await self._check_address(config)
        config, secrets = await self._completed(config, secrets)
        await self._store.add(config, secrets, by=by)
        return config

    async def change(self, config: McpConfig, edit: ServerEdit, *, by: AskedBy = THE_SERVER) -> McpConfig:
        """The same, and NotFound when it is gone."""
        before = await self._store.opened(config)
        if before is None:
            raise NotFound("mcp_server_not_found", "This MCP server is gone.")
        refuse(problem_of_values(config.slug, edit))
        after, secrets = edited(before.config, before.secrets, edit)
        if after.is_remote is not before.config.is_remote:
            raise BadInput(
                NOT_TOGETHER,
                "A program does not become a remote server, nor the other way round.",
                field="transport",
                hint="Delete it, and add another one.",
            )
        problem = self._problem_of(after, secrets)
        # What was no good before must not stand in the way of switching it off.
        if problem != self._problem_of(before.config, before.secrets):
            refuse(problem)
        if after.url != before.config.url:
            await self._check_address(after)
        after, secrets = await self._completed(after, secrets)
        await self._store.save(before, after, secrets, by=by)
        return after

    def _problem_of(self, config: McpConfig, secrets: McpSecrets) -> Problem | None:
        return problem_of_server(config, secrets, private_hosts=self._reach.private_hosts)

    async def _check_address(self, config: McpConfig) -> None:
        if config.scope is Scope.USER and config.url is not None:
            refuse(await problem_of_address(self._reach, config.url, "url"))

    async def _completed(self, config: McpConfig, secrets: McpSecrets) -> tuple[McpConfig, McpSecrets]:
        """With where users sign in, asked of the server if no caller has said it."""
        if config.oauth is None or config.oauth.is_complete:
            return config, secrets
        try:
            async with asyncio.timeout(DISCOVERY_SECONDS):
                found = await self._discover(config)
        except TimeoutError:
            raise BadInput(
                "discovery_failed",
                f"Where to sign in could not be found out within {DISCOVERY_SECONDS:g} seconds.",
                field="auth_type",
            ) from None
        secrets = replace(secrets, client_secret=found.client_secret)
        config = with_names(replace(config, oauth=found.oauth), secrets)
        refuse(self._problem_of(config, secrets))
        return config, secrets
