"""The MCP servers of a chat, with everything that is needed to connect to them."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager

import pytest

from chatd.accounts.groups import add_member, create_group, remove_member
from chatd.accounts.users import create_user
from chatd.catalog.catalog import open_catalog
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.administration import McpAdministration
from chatd.catalog.mcp.config import AuthType, Availability, McpConfig, McpSecrets
from chatd.catalog.mcp.declared import McpServerDeclaration, declare_servers
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.oauth.discovery import Discovered
from chatd.catalog.mcp.resolve import McpResolver, headers_of
from chatd.catalog.mcp.server import McpServer, Transport
from chatd.catalog.models.declared import declare
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.errors import NotAllowed
from chatd.hints.memory import MemoryBus
from chatd.kit.outbound.reach import Reach
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.conftest import OWNER
from tests.traceability import proves

URL = "https://desk.example/mcp"
SECRETS = Secrets(bytes(32))


async def no_tokens(_: UserId, __: Collection[McpConfig]) -> Mapping[str, str]:
    return {}


async def nothing_told(_: McpConfig) -> Discovered:
    raise AssertionError("no server is asked")


class World:
    def __init__(self, catalog_store: CatalogStore, resolver: McpResolver) -> None:
        self.store = catalog_store.mcp
        self.administration = McpAdministration(catalog_store.mcp, Reach(private_hosts=True), nothing_told)
        self.servers_of = resolver.servers_of

    async def add(self, slug: str, owner_id: UserId | None = None, **fields: object) -> McpConfig:
        edit = ServerEdit(**{"url": URL} | fields)  # type: ignore[arg-type]
        return await self.administration.add(owner_id, slug, edit)

    async def slugs(self, *selection: str) -> list[str]:
        servers = await self.servers_of(OWNER, selection or None)
        return [each.slug for each in servers]


@asynccontextmanager
async def resolving(store: Store, bus: MemoryBus, *, private_hosts: bool = False) -> AsyncIterator[World]:
    declared = declare_servers([McpServerDeclaration(slug="declared", command=("run",), env={"A": "b"})], {})
    catalog_store = CatalogStore(store, declare(), SECRETS, declared)
    async with open_catalog(catalog_store, bus, MovedClock()) as catalog:
        resolver = McpResolver(catalog_store.mcp, catalog.mcp_servers, no_tokens, private_hosts=private_hosts)
        yield World(catalog_store, resolver)


@pytest.fixture
async def world(store: Store, bus: MemoryBus) -> AsyncIterator[World]:
    async with resolving(store, bus) as world:
        yield world


@proves("mcp-skills-hooks", 26, 27)
async def test_a_server_is_resolved_with_its_secrets_and_lists(world: World) -> None:
    config = await world.add(
        "desk",
        auth_type=AuthType.API_KEY,
        api_key_value="key-1",
        tool_allow_list=("read",),
        tool_deny_list=("delete",),
        call_seconds=30.0,
    )

    declared, desk = await world.servers_of(OWNER)

    assert (declared.slug, declared.command, declared.env) == ("declared", ("run",), {"A": "b"})
    assert desk == McpServer(
        id=config.id,
        slug="desk",
        transport=Transport.STREAMABLE_HTTP,
        url=URL,
        headers={"Authorization": "Bearer key-1"},
        allow=("read",),
        deny=("delete",),
        private_addresses=True,
        call_seconds=30.0,
    )
    assert await world.servers_of(OWNER) == (declared, desk)


@pytest.mark.parametrize(
    ("header", "key", "sent"),
    [
        ("Authorization", "key-1", "Bearer key-1"),
        ("authorization", "key-1", "Bearer key-1"),
        ("Authorization", "Basic abc", "Basic abc"),
        ("X-Api-Key", "key-1", "key-1"),
    ],
)
def test_a_key_is_sent_the_way_its_header_wants_it(header: str, key: str, sent: str) -> None:
    config = McpConfig(
        id="s", slug="s", transport=Transport.SSE, auth_type=AuthType.API_KEY, api_key_header=header
    )

    assert headers_of(config, McpSecrets(api_key=key), None) == {header: sent}


async def test_only_the_users_own_servers_and_those_for_all_are_there(world: World) -> None:
    await world.add("own", OWNER)
    await world.add("shared")

    assert await world.slugs() == ["declared", "shared", "own"]
    assert [each.slug for each in await world.servers_of(UserId("other"))] == ["declared", "shared"]


async def test_a_users_own_server_is_not_connected_to_at_private_addresses(world: World) -> None:
    await world.add("own", OWNER)
    await world.add("shared")

    allowed = {each.slug: each.private_addresses for each in await world.servers_of(OWNER)}

    assert allowed == {"declared": True, "shared": True, "own": False}


async def test_unless_the_operator_allows_it(store: Store, bus: MemoryBus) -> None:
    async with resolving(store, bus, private_hosts=True) as world:
        await world.add("own", OWNER)

        assert all(each.private_addresses for each in await world.servers_of(OWNER))


@proves("mcp-skills-hooks", 11, 13)
async def test_a_change_counts_from_the_next_turn_on(world: World) -> None:
    desk = await world.add("desk", availability=Availability.DEFAULT_OFF)
    forced = await world.add("forced")
    assert await world.slugs(desk.id) == ["desk"]

    await world.administration.change(forced, ServerEdit(availability=Availability.FORCE_ON))
    assert await world.slugs(desk.id) == ["desk", "forced"]
    await world.administration.change(desk, ServerEdit(enabled=False))
    assert await world.slugs(desk.id) == ["forced"]
    await world.store.delete(forced)
    assert await world.slugs(desk.id) == []


async def test_a_server_where_the_user_has_not_signed_in_is_left_out(world: World) -> None:
    await world.add(
        "tracker",
        auth_type=AuthType.OAUTH2,
        oauth2_client_id="c",
        oauth2_auth_url="https://a.example",
        oauth2_token_url="https://t.example",
    )

    assert await world.slugs() == ["declared"]


async def test_a_server_whose_secrets_were_forgotten_or_are_damaged_is_left_out(
    world: World, store: Store
) -> None:
    keyed = {"auth_type": AuthType.API_KEY, "api_key_value": "key-1"}
    headers = {"auth_type": AuthType.CUSTOM_HEADERS, "custom_headers": {"X-Key": "key-1"}}
    for slug, fields in (("damaged", keyed), ("forgotten", keyed), ("bare", headers), ("well", keyed)):
        await world.add(slug, **fields)

    async def damage(tx: Connection) -> None:
        await tx.script(
            "UPDATE mcp_servers SET secrets = secrets || 'x' WHERE slug = 'damaged';"
            "UPDATE mcp_servers SET secrets = NULL WHERE slug IN ('forgotten', 'bare');"
        )

    await store.db.write(damage)

    assert await world.slugs() == ["declared", "well"]


async def test_the_secrets_of_one_server_cannot_be_put_beside_another(world: World, store: Store) -> None:
    for slug in ("one", "two"):
        await world.add(slug, auth_type=AuthType.API_KEY, api_key_value=f"key-{slug}")

    async def swap(tx: Connection) -> None:
        await tx.script(
            "UPDATE mcp_servers SET secrets = (SELECT o.secrets FROM mcp_servers AS o WHERE o.slug = 'two') "
            "WHERE slug = 'one';"
        )

    await store.db.write(swap)

    assert await world.slugs() == ["declared", "two"]


@proves("mcp-skills-hooks", 12)
async def test_no_turn_begins_without_a_forced_server_that_cannot_be_read(world: World, store: Store) -> None:
    await world.add("forced", availability=Availability.FORCE_ON)

    async def damage(tx: Connection) -> None:
        await tx.script("UPDATE mcp_servers SET document = '{}';")

    await store.db.write(damage)

    with pytest.raises(NotAllowed, match="forced"):
        await world.servers_of(OWNER)


async def test_without_secrets_nothing_is_read_twice(store: Store, bus: MemoryBus) -> None:
    catalog_store = CatalogStore(store, declare(), SECRETS)
    async with open_catalog(catalog_store, bus, MovedClock()) as catalog:
        resolver = McpResolver(catalog_store.mcp, catalog.mcp_servers, no_tokens, private_hosts=False)
        for _ in range(3):
            assert await resolver.servers_of(OWNER) == ()

        (cached,) = (each for each in catalog.statistics() if each.name == "mcp_servers")
        assert (cached.misses, cached.hits) == (1, 2)


@proves("mcp-skills-hooks", 15)
@pytest.mark.parametrize("auth_type", [AuthType.NONE, AuthType.API_KEY])
async def test_a_turn_goes_on_with_a_server_that_its_owner_is_not_given_any_more(
    world: World, store: Store, auth_type: AuthType
) -> None:
    group = await create_group(store.db, "research")
    await add_member(store.db, group.id, OWNER)
    key = "key-1" if auth_type is AuthType.API_KEY else None
    desk = await world.add("desk", groups=(group.id,), auth_type=auth_type, api_key_value=key)
    assert await world.slugs() == ["declared", "desk"]
    await remove_member(store.db, group.id, OWNER)
    await world.administration.change(desk, ServerEdit(groups=()))

    assert await world.slugs(desk.id) == ["desk"]
    assert await world.slugs() == ["declared"]


async def test_what_is_remembered_for_a_member_is_not_given_to_another_user(
    world: World, store: Store
) -> None:
    group = await create_group(store.db, "research")
    await add_member(store.db, group.id, OWNER)
    other = await create_user(store.db, "other", UserRole.MEMBER)
    await world.add("desk", groups=(group.id,))

    assert await world.slugs() == ["declared", "desk"]
    assert [each.slug for each in await world.servers_of(other.id, None)] == ["declared"]
    assert await world.slugs() == ["declared", "desk"]
