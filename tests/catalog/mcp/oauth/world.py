"""A server of ours over a real database, beside a real authorization server; its clock is the test's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from chatd.catalog.catalog import open_catalog
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.config import AuthType, McpConfig
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.oauth.sign_in import Returned
from chatd.catalog.mcp.oauth.tokens import open_user_tokens
from chatd.catalog.mcp.resolve import McpResolver
from chatd.catalog.mcp.services import McpServices, mcp_services
from chatd.catalog.mcp.store import McpStore
from chatd.catalog.models.declared import declare
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import UserId
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.outbound.reach import Reach, system_resolve
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.clock import MovedClock
from tests.conftest import OWNER

PUBLIC_URL = "http://chatd.test:8787"
SECRETS = Secrets(bytes(32))


def is_of_the_internet(address: str) -> bool:
    """In tests there are two machines: one that counts as public, and 127.0.0.2, which does not."""
    return address == "127.0.0.1"


class World:
    def __init__(self, services: McpServices, resolver: McpResolver, there: SignInServer) -> None:
        self.services = services
        self.there = there
        self.servers_of = resolver.servers_of

    async def add(self, owner_id: UserId | None = None, slug: str = "tracker", **fields: Any) -> McpConfig:
        edit = ServerEdit(**{"url": self.there.url, "auth_type": AuthType.OAUTH2} | fields)
        return await self.services.administration.add(owner_id, slug, edit)

    async def begin(self, config: McpConfig, user_id: UserId = OWNER) -> Returned:
        """What the browser of a user comes back with who has signed in."""
        url = await self.services.sign_ins.begin(config, user_id)
        return returned(await self.there.visit(url))

    async def connect(self, config: McpConfig, user_id: UserId = OWNER) -> None:
        code = await self.services.sign_ins.come_back(config.id, await self.begin(config, user_id))
        await self.services.sign_ins.finish(config, user_id, code)

    async def token(self, user_id: UserId = OWNER) -> str | None:
        """What the first server is called with."""
        servers = await self.servers_of(user_id)
        return servers[0].headers["Authorization"].removeprefix("Bearer ") if servers else None

    async def is_connected(self, config: McpConfig, user_id: UserId = OWNER) -> bool:
        grant = await self.services.grants.of(config.id, user_id)
        return grant is not None and grant.is_for(config)


def services_at(store: Store, reach: Reach, clock: Clock | None = None) -> McpServices:
    """What the API works with."""
    return mcp_services(
        store,
        McpStore(store, SECRETS),
        SECRETS,
        reach=reach,
        clock=clock or SystemClock(),
        public_url=PUBLIC_URL,
    )


def returned(location: str) -> Returned:
    query = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
    return Returned(
        state=query.get("state", ""),
        code=query.get("code", ""),
        issuer=query.get("iss", ""),
        error=query.get("error", ""),
    )


@asynccontextmanager
async def signing_in(
    store: Store,
    bus: MemoryBus,
    clock: MovedClock,
    there: SignInServer,
    *,
    private_hosts: bool = True,
    reach: Reach | None = None,
) -> AsyncIterator[World]:
    catalog_store = CatalogStore(store, declare(), SECRETS)
    reach = reach or Reach(private_hosts=private_hosts, resolve=system_resolve, may_call=is_of_the_internet)
    services = mcp_services(
        store, catalog_store.mcp, SECRETS, reach=reach, clock=clock, public_url=PUBLIC_URL
    )
    async with (
        open_catalog(catalog_store, bus, clock) as catalog,
        open_user_tokens(catalog_store.mcp, services.grants, services.endpoint, clock) as tokens,
    ):
        resolver = McpResolver(catalog_store.mcp, catalog.mcp_servers, tokens.of, private_hosts=private_hosts)
        yield World(services, resolver, there)
