"""Which models and MCP servers there are, declared and in the database, and what is needed to use them."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from msgspec import Struct

from chatd.app.beside import declared_models
from chatd.app.ground import Ground
from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.keys.secrets import read_or_make
from chatd.catalog.mcp.declared import DeclaredServers, declare_servers
from chatd.catalog.mcp.oauth.tokens import open_user_tokens
from chatd.catalog.mcp.resolve import McpResolver
from chatd.catalog.mcp.services import McpServices, mcp_services
from chatd.catalog.models.declared import Declared, notice_of
from chatd.catalog.models.store import CatalogStore
from chatd.kit.outbound.lookups import Lookups
from chatd.kit.outbound.reach import Reach
from chatd.providers.credentials.cache import CredentialCache
from chatd.providers.registry import Registry
from chatd.providers.scripted.model import ScriptedModel
from chatd.providers.transport.http import Pools
from chatd.settings import Settings

log = structlog.get_logger()


class Declarations(Struct, frozen=True, kw_only=True):
    """What there is without a database."""

    models: Declared
    servers: DeclaredServers


class Catalogs(Struct, frozen=True, kw_only=True):
    store: CatalogStore
    catalog: Catalog
    models: Registry
    mcp: McpServices
    # The MCP servers of chats, with tokens that are refreshed while they are open.
    mcp_servers: McpResolver


def declarations_of(settings: Settings, on_this_machine: Sequence[str]) -> Declarations:
    """Raises Misconfigured. Providers that cannot be used are only told of."""
    models = declared_models(settings, on_this_machine)
    for provider in models.providers:
        if notice := notice_of(provider):
            log.warning("provider.unusable", provider=provider.name, notice=notice)
    return Declarations(models=models, servers=declare_servers(settings.mcp_servers, os.environ))


@asynccontextmanager
async def open_catalogs(
    settings: Settings, ground: Ground, declared: Declarations
) -> AsyncIterator[Catalogs]:
    clock, hosts = ground.clock, settings.mcp_private_hosts
    secrets = read_or_make(settings.data_dir, settings.secret_key)
    store = CatalogStore(ground.store, declared.models, secrets, declared.servers)
    await store.keys.check_secrets()
    mcp = mcp_services(
        ground.store,
        store.mcp,
        secrets,
        reach=Reach(private_hosts=hosts, resolve=Lookups()),
        clock=clock,
        public_url=settings.public_url or ground.local_address,
    )
    async with AsyncExitStack() as opened:
        catalog = await opened.enter_async_context(open_catalog(store, ground.bus, clock))
        pools = await opened.enter_async_context(Pools())
        tokens = await opened.enter_async_context(
            open_user_tokens(mcp.store, mcp.grants, mcp.endpoint, clock)
        )
        yield Catalogs(
            store=store,
            catalog=catalog,
            models=Registry(catalog, pools, CredentialCache(clock), ScriptedModel(clock), clock),
            mcp=mcp,
            mcp_servers=McpResolver(mcp.store, catalog.mcp_servers, tokens.of, private_hosts=hosts),
        )
