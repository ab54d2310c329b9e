"""What the API works with, when it is about MCP servers."""

from msgspec import Struct

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.administration import McpAdministration
from chatd.catalog.mcp.config import McpConfig, McpServerId
from chatd.catalog.mcp.oauth.discovery import Discovered, Discovery
from chatd.catalog.mcp.oauth.grants import Grants
from chatd.catalog.mcp.oauth.revocation import Revocation
from chatd.catalog.mcp.oauth.sign_in import SignIns
from chatd.catalog.mcp.oauth.token_endpoint import TokenEndpoint
from chatd.catalog.mcp.store import McpStore
from chatd.domain.ids import UserId
from chatd.errors import Unusable
from chatd.kit.clock import Clock
from chatd.kit.outbound.exchange import Exchange
from chatd.kit.outbound.reach import Reach
from chatd.storage.transactions.transact import Store

GONE = "The MCP server is gone, or its secrets cannot be read."


class Disconnected(Struct, frozen=True, kw_only=True):
    """Whether the authorization server has taken the token back too, and if not, why."""

    token_revoked: bool
    token_revocation_error: str | None = None


class McpServices(Struct, frozen=True, kw_only=True):
    store: McpStore
    administration: McpAdministration
    grants: Grants
    sign_ins: SignIns
    endpoint: TokenEndpoint
    revocation: Revocation

    async def disconnect(
        self, server_id: McpServerId, config: McpConfig | None, user_id: UserId
    ) -> Disconnected:
        """What is kept is deleted first: nothing that follows can bring it back."""
        grant = await self.grants.take(server_id, user_id)
        tokens = self.grants.tokens(grant) if grant is not None else None
        if tokens is None:
            return Disconnected(token_revoked=False)
        try:
            opened = await self.store.opened(config) if config is not None else None
        except Unusable:
            opened = None
        if opened is None:
            return Disconnected(token_revoked=False, token_revocation_error=GONE)
        problem = await self.revocation.revoke(opened.config, opened.secrets, tokens)
        return Disconnected(token_revoked=problem is None, token_revocation_error=problem)


def mcp_services(
    store: Store, mcp_store: McpStore, secrets: Secrets, *, reach: Reach, clock: Clock, public_url: str
) -> McpServices:
    exchange = Exchange(reach)
    endpoint = TokenEndpoint(exchange, clock)
    grants = Grants(store, secrets)
    sign_ins = SignIns(store, mcp_store, grants, endpoint, secrets, public_url=public_url)
    discovery = Discovery(exchange, private_hosts=reach.private_hosts)

    async def discover(config: McpConfig) -> Discovered:
        return await discovery.discover(config, sign_ins.redirect_uri(config.id))

    return McpServices(
        store=mcp_store,
        administration=McpAdministration(mcp_store, reach, discover),
        grants=grants,
        sign_ins=sign_ins,
        endpoint=endpoint,
        revocation=Revocation(exchange),
    )
