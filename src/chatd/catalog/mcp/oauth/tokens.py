"""The tokens that users call MCP servers with, refreshed before they expire.

A refresh belongs to the server, not to the turn that needed it: the authorization server may have replaced
the refresh token by the time a user stops the turn, and the new one must be kept. So each runs in a task of
its own, and turns that need the same token wait for the same one.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager

import structlog

from chatd.catalog.mcp.config import McpConfig, McpServerId
from chatd.catalog.mcp.oauth.grants import Grant, Grants
from chatd.catalog.mcp.oauth.token_endpoint import NotGranted, TokenEndpoint, Tokens
from chatd.catalog.mcp.store import McpStore
from chatd.domain.ids import SECOND, UserId
from chatd.kit.clock import Clock

log = structlog.get_logger()

REFRESH_EARLY_SECONDS = 10
# How long refreshes that are under way may take when the process ends.
STOP_SECONDS = 3.0

_Key = tuple[McpServerId, UserId]


class UserTokens:
    """Made by `open_user_tokens`."""

    def __init__(
        self, store: McpStore, grants: Grants, endpoint: TokenEndpoint, clock: Clock, group: asyncio.TaskGroup
    ) -> None:
        self._store = store
        self._grants = grants
        self._endpoint = endpoint
        self._clock = clock
        self._group = group
        self._refreshing: dict[_Key, asyncio.Task[str | None]] = {}

    async def of(self, user_id: UserId, configs: Collection[McpConfig]) -> Mapping[McpServerId, str]:
        """Of the servers where this user has signed in, and does not have to do so again."""
        if not configs:
            return {}
        grants = await self._grants.of_user(user_id)
        async with asyncio.TaskGroup() as group:
            found = {
                each.id: group.create_task(self._token(each, grants[each.id]))
                for each in configs
                if each.id in grants and grants[each.id].is_for(each)
            }
        return {id_: token for id_, task in found.items() if (token := task.result()) is not None}

    async def _token(self, config: McpConfig, grant: Grant) -> str | None:
        tokens = self._grants.tokens(grant)
        if tokens is None or not self._expires_soon(tokens):
            return tokens.access_token if tokens is not None else None
        if tokens.refresh_token is None:
            return self._while_it_lasts(tokens)
        key = (config.id, grant.user_id)
        refresh = self._refreshing.get(key)
        if refresh is None:
            refresh = self._group.create_task(self._refresh(config, grant.user_id), name="refresh token")
            self._refreshing[key] = refresh
            refresh.add_done_callback(lambda _: self._refreshing.pop(key, None))
        return await asyncio.shield(refresh)

    async def _refresh(self, config: McpConfig, user_id: UserId) -> str | None:
        try:
            return await self._refreshed(config, user_id)
        except Exception:
            # Told to the turns that wait, as the lack of a token. It must not end the group of all refreshes.
            log.exception("mcp_token.refresh_broke", server=config.id, user_id=user_id)
            return None

    async def _refreshed(self, config: McpConfig, user_id: UserId) -> str | None:
        # Read anew: a refresh may have ended since the turn looked, and a refresh token is not sent twice.
        grant = await self._grants.of(config.id, user_id)
        opened = await self._store.opened(config)
        if grant is None or opened is None or not grant.is_for(opened.config):
            return None
        tokens = self._grants.tokens(grant)
        if tokens is None or not self._expires_soon(tokens):
            return tokens.access_token if tokens is not None else None
        try:
            renewed = await self._endpoint.refreshed(opened.config, opened.secrets, tokens)
        except NotGranted as error:
            log.warning(
                "mcp_token.not_refreshed",
                server=config.id,
                user_id=user_id,
                reason=str(error),
                permanent=error.permanent,
            )
            return await self._refused(grant) if error.permanent else self._while_it_lasts(tokens)
        is_kept = await self._grants.renew(grant, renewed)
        log.info("mcp_token.refreshed", server=config.id, user_id=user_id, kept=is_kept)
        # Not if the user has disconnected meanwhile.
        return renewed.access_token if is_kept else None

    async def _refused(self, grant: Grant) -> str | None:
        """For good. Unless another server of the fleet was first, and ours was refused for that."""
        now = await self._grants.of(grant.server_id, grant.user_id)
        if now is not None and now.serial != grant.serial and not now.refused:
            newer = self._grants.tokens(now)
            return newer.access_token if newer is not None else None
        await self._grants.refuse(grant)
        return None

    def _expires_soon(self, tokens: Tokens) -> bool:
        early = self._clock.now_micros() + REFRESH_EARLY_SECONDS * SECOND
        return tokens.expires_at is not None and tokens.expires_at <= early

    def _while_it_lasts(self, tokens: Tokens) -> str | None:
        is_over = tokens.expires_at is not None and tokens.expires_at <= self._clock.now_micros()
        return None if is_over else tokens.access_token

    async def end(self) -> None:
        if self._refreshing:
            await asyncio.wait([*self._refreshing.values()], timeout=STOP_SECONDS)
        for refresh in self._refreshing.values():
            refresh.cancel()


@asynccontextmanager
async def open_user_tokens(
    store: McpStore, grants: Grants, endpoint: TokenEndpoint, clock: Clock
) -> AsyncIterator[UserTokens]:
    """When the block ends, refreshes that are under way have a moment left."""
    async with asyncio.TaskGroup() as group:
        tokens = UserTokens(store, grants, endpoint, clock, group)
        try:
            yield tokens
        finally:
            await tokens.end()
