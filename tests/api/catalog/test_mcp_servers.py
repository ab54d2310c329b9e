"""MCP servers over HTTP: for all users, and of one."""

from typing import Any

import pytest
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.catalog.mcp.config import McpConfig
from chatd.catalog.mcp.probe import McpProbe, ProbedTool
from chatd.catalog.mcp.store import SERVERS_PER_USER_MAX
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.kit.outbound.reach import Reach
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Store
from tests.api.client import Answer, Client
from tests.catalog.mcp.oauth.world import services_at
from tests.traceability import proves

SERVERS = "/api/v1/mcp-servers"
KEY = "key-0123456789abcdef"
DESK: dict[str, Any] = {
    "slug": "desk",
    "scope": "deployment",
    "url": "https://desk.example/mcp",
    "auth_type": "api_key",
    "api_key_value": KEY,
}
CLIENT = {
    "auth_type": "oauth2",
    "oauth2_client_id": "chatd",
    "oauth2_client_secret": "client-secret-1",
    "oauth2_auth_url": "https://sign.example/authorize",
    "oauth2_token_url": "https://sign.example/token",
}
HEADERS = {"auth_type": "custom_headers", "custom_headers": {"X-Key": "header-secret-1"}}
PROGRAM = {
    "transport": "stdio",
    "url": None,
    "command": ["run"],
    "env": {"KEY": "env-secret-1"},
    "auth_type": "none",
}


@pytest.fixture
def permissive(store: Store) -> ASGIApp:
    """A server whose users may name private hosts."""
    return build(store, mcp=services_at(store, Reach(private_hosts=True)))


@pytest.fixture
async def allowing(permissive: ASGIApp, store: Store, owner: UserId) -> Client:
    return Client(permissive, await create_token(store.db, owner, "permissive"))


@pytest.fixture
async def another(permissive: ASGIApp, store: Store) -> Client:
    user = await create_user(store.db, "another", UserRole.MEMBER)
    return Client(permissive, await create_token(store.db, user.id, "permissive"))


async def added(caller: Client, **fields: object) -> Any:
    answer = await caller.post(SERVERS, DESK | fields)
    assert answer.status == 201, answer.body
    return answer.json


async def listed(caller: Client) -> list[str]:
    return [each["slug"] for each in (await caller.get(SERVERS)).json["mcp_servers"]]


@proves("mcp-skills-hooks", 5)
async def test_a_server_is_kept_and_its_secrets_are_told_by_name_only(admin: Client) -> None:
    server = await added(admin, tool_deny_list=["delete"], description="Papers on a desk.")

    assert server == {
        "id": server["id"],
        "slug": "desk",
        "scope": "deployment",
        "display_name": "",
        "description": "Papers on a desk.",
        "icon_url": None,
        "transport": "streamable_http",
        "auth_type": "api_key",
        "availability": "default_on",
        "enabled": True,
        "model_intent": False,
        "allow_in_plan_mode": False,
        "declared": False,
        "auth_connected": True,
        "unavailable_reason": None,
        "has_api_key": True,
        "has_custom_headers": False,
        "has_env": False,
        "has_oauth2_secret": False,
        "groups": None,
        "url": "https://desk.example/mcp",
        "command": [],
        "env_names": [],
        "api_key_header": "Authorization",
        "custom_header_names": [],
        "oauth2_client_id": None,
        "oauth2_auth_url": None,
        "oauth2_token_url": None,
        "oauth2_revocation_url": None,
        "oauth2_scopes": "",
        "tool_allow_list": [],
        "tool_deny_list": ["delete"],
        "connection": None,
        "forward_identity": False,
        "connect_seconds": 10.0,
        "call_seconds": 60.0,
    }
    assert (await admin.get(f"{SERVERS}/{server['id']}")).json == server
    assert (await admin.get(SERVERS)).json == {"mcp_servers": [server]}


@proves("mcp-skills-hooks", 5)
@pytest.mark.parametrize(
    ("secret", "fields", "flag"),
    [
        ("header-secret-1", HEADERS, "has_custom_headers"),
        ("client-secret-1", CLIENT, "has_oauth2_secret"),
        ("env-secret-1", PROGRAM, "has_env"),
    ],
)
async def test_no_read_has_a_secret_and_the_flags_are_right(
    admin: Client, client: Client, secret: str, fields: dict[str, Any], flag: str
) -> None:
    plain = {name: value for name, value in DESK.items() if name != "api_key_value"}
    made = await admin.post(SERVERS, plain | fields)
    assert made.status == 201, made.body

    answers = [
        made,
        await admin.get(SERVERS),
        await admin.get(f"{SERVERS}/{made.json['id']}"),
        await admin.patch(f"{SERVERS}/{made.json['id']}", {"display_name": "D"}),
        await client.get(SERVERS),
    ]

    assert all(secret.encode() not in answer.body for answer in answers)
    flags = {name for name, value in answers[3].json.items() if name.startswith("has_") and value}
    assert flags == {flag}


async def test_secrets_are_sealed_in_the_database(admin: Client, store: Store) -> None:
    await added(admin)

    async def everything(tx: Connection) -> str:
        return repr([tuple(row) for row in await tx.all("mcp_servers_for", "")])

    kept = await store.db.read(everything)
    assert "desk.example" in kept
    assert KEY not in kept


@proves("mcp-skills-hooks", 6)
async def test_a_member_sees_what_is_switched_on_and_nothing_of_how_it_is_reached(
    client: Client, admin: Client
) -> None:
    server = await added(admin)
    await added(admin, slug="off", enabled=False)

    (seen,) = (await client.get(SERVERS)).json["mcp_servers"]

    assert seen["id"] == server["id"]
    hidden = {
        "url",
        "command",
        "oauth2_client_id",
        "oauth2_auth_url",
        "oauth2_token_url",
        "custom_header_names",
    }
    assert not hidden & set(seen)
    assert await listed(admin) == ["desk", "off"]


async def test_a_server_that_is_switched_off_does_not_exist_for_members(
    client: Client, admin: Client
) -> None:
    server = await added(admin, enabled=False)

    assert (await client.get(f"{SERVERS}/{server['id']}")).status == 404
    assert (await client.patch(f"{SERVERS}/{server['id']}", {"enabled": True})).status == 404


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_members_change_no_server_that_is_for_all(client: Client, admin: Client, method: str) -> None:
    server = await added(admin)

    answer = await client.ask(
        method, f"{SERVERS}/{server['id']}", *([b'{"enabled": false}'] if method == "PATCH" else [])
    )

    assert (answer.status, answer.error["code"]) == (403, "not_permitted")
    assert await listed(client) == ["desk"]


async def test_members_add_no_server_for_all(client: Client) -> None:
    answer = await client.post(SERVERS, DESK)

    assert (answer.status, answer.error["field"]) == (403, "scope")
    assert await listed(client) == []


async def test_a_server_of_a_user_is_theirs_alone(
    allowing: Client, client: Client, stranger: Client, admin: Client
) -> None:
    server = await added(allowing, scope="user", url="https://127.0.0.1:9/mcp")

    assert server["scope"] == "user"
    assert server["url"] == "https://127.0.0.1:9/mcp"
    for other in (stranger, admin):
        assert await listed(other) == []
        assert (await other.get(f"{SERVERS}/{server['id']}")).status == 404
        assert (await other.patch(f"{SERVERS}/{server['id']}", {"enabled": False})).status == 404
        assert (await other.delete(f"{SERVERS}/{server['id']}")).status == 404
    assert await listed(client) == ["desk"]


@proves("mcp-skills-hooks", 1)
async def test_a_slug_is_taken_once_for_all_users_and_once_for_each(
    admin: Client, allowing: Client, another: Client
) -> None:
    await added(admin, slug="shared")
    own = {"scope": "user", "url": "https://127.0.0.1:9/mcp"}
    await added(allowing, **own)

    for caller, slug in ((admin, "shared"), (allowing, "shared"), (allowing, "desk")):
        scope = {"scope": "deployment"} if caller is admin else own
        answer = await caller.post(SERVERS, DESK | scope | {"slug": slug})
        assert (answer.status, answer.error["code"]) == (409, "duplicate_slug")
    await added(another, **own)


async def test_a_server_for_all_users_takes_the_place_of_a_users_own_with_its_slug(
    admin: Client, allowing: Client
) -> None:
    own = await added(allowing, scope="user", url="https://127.0.0.1:9/mcp")

    await added(admin)

    seen = (await allowing.get(SERVERS)).json["mcp_servers"]
    assert [(each["scope"], each["unavailable_reason"]) for each in seen] == [
        ("deployment", None),
        ("user", "slug_taken"),
    ]
    assert seen[1]["id"] == own["id"]


async def test_a_user_has_a_bounded_number_of_servers(allowing: Client) -> None:
    for number in range(SERVERS_PER_USER_MAX):
        await added(allowing, scope="user", slug=f"s{number}", url="https://127.0.0.1:9/mcp")

    answer = await allowing.post(SERVERS, DESK | {"scope": "user", "url": "https://127.0.0.1:9/mcp"})

    assert (answer.status, answer.error["code"]) == (429, "too_many_mcp_servers")


async def test_a_change_names_only_what_changes(admin: Client) -> None:
    server = await added(admin)

    changed = await admin.patch(
        f"{SERVERS}/{server['id']}", {"display_name": "Desk", "availability": "force_on"}
    )

    assert changed.json == server | {"display_name": "Desk", "availability": "force_on"}


async def test_an_empty_secret_removes_it(admin: Client) -> None:
    server = await added(admin, **CLIENT, api_key_value="")

    changed = await admin.patch(f"{SERVERS}/{server['id']}", {"oauth2_client_secret": ""})

    assert (server["has_oauth2_secret"], changed.json["has_oauth2_secret"]) == (True, False)


@proves("mcp-skills-hooks", 7)
async def test_another_way_to_sign_in_removes_what_the_one_before_needed(admin: Client) -> None:
    server = await added(admin)

    changed = await admin.patch(
        f"{SERVERS}/{server['id']}", {"auth_type": "custom_headers", "custom_headers": {"X-Key": "secret"}}
    )
    back = await admin.patch(f"{SERVERS}/{server['id']}", {"auth_type": "api_key"})

    assert (changed.json["has_api_key"], changed.json["has_custom_headers"]) == (False, True)
    assert (back.status, back.error["field"]) == (400, "api_key_value")


@proves("mcp-skills-hooks", 2)
@pytest.mark.parametrize("given", ["oauth2_client_id", "oauth2_auth_url", "oauth2_token_url"])
async def test_a_client_is_given_as_a_whole(admin: Client, given: str) -> None:
    plain = {name: value for name, value in DESK.items() if name != "api_key_value"}

    answer = await admin.post(SERVERS, plain | {"auth_type": "oauth2", given: CLIENT[given]})

    assert (answer.status, answer.error["field"]) == (400, "oauth2_client_id")


async def test_a_deleted_server_is_gone(admin: Client) -> None:
    server = await added(admin)

    assert (await admin.delete(f"{SERVERS}/{server['id']}")).status == 204
    assert (await admin.get(f"{SERVERS}/{server['id']}")).status == 404
    assert (await admin.delete(f"{SERVERS}/{server['id']}")).status == 404


async def test_a_server_that_a_newer_program_has_written_is_listed_and_can_be_deleted(
    admin: Client, client: Client, store: Store
) -> None:
    server = await added(admin)

    async def damage(tx: Connection) -> None:
        await tx.run(
            "save_mcp_server",
            server["id"],
            1,
            *(True, "default_on", 1, '{"transport":"pigeon"}', None, False),
        )

    await store.db.write(damage)

    (unreadable,) = (await admin.get(SERVERS)).json["unreadable"]
    assert (unreadable["id"], unreadable["name"]) == (server["id"], "desk")
    assert (await client.get(SERVERS)).json == {"mcp_servers": []}
    assert (await admin.patch(f"{SERVERS}/{server['id']}", {"enabled": False})).status == 409
    assert (await client.delete(f"{SERVERS}/{server['id']}")).status == 404
    taken: Answer = await admin.post(SERVERS, DESK)
    assert taken.status == 409
    assert (await admin.delete(f"{SERVERS}/{server['id']}")).status == 204
    assert (await admin.post(SERVERS, DESK)).status == 201


class FakeProber:
    def __init__(self) -> None:
        self.asked: list[tuple[str, UserId]] = []

    async def probe(self, config: McpConfig, user_id: UserId) -> McpProbe:
        self.asked.append((config.slug, user_id))
        tools = (ProbedTool(name="read", description="Reads.", offered=True),)
        return McpProbe(slug=config.slug, is_well=True, says="It has 1 tool.", milliseconds=3, tools=tools)


async def test_a_server_is_tried_out_by_those_who_can_use_it(store: Store, owner: UserId) -> None:
    prober = FakeProber()
    app = build(store, mcp_prober=prober)
    root = await create_user(store.db, "root", UserRole.ADMIN)
    admin = Client(app, await create_token(store.db, root.id, "test"))
    member = Client(app, await create_token(store.db, owner, "test"))
    on, off = await added(admin), await added(admin, slug="off", enabled=False)

    tried = await member.ask("POST", f"{SERVERS}/{on['id']}/test")
    hidden = await member.ask("POST", f"{SERVERS}/{off['id']}/test")
    await admin.ask("POST", f"{SERVERS}/{off['id']}/test")

    assert (tried.status, tried.json["tools"][0]["name"]) == (200, "read")
    assert hidden.status == 404
    assert prober.asked == [("desk", owner), ("off", root.id)]


async def test_a_process_that_connects_to_no_servers_says_so(admin: Client) -> None:
    answer = await admin.ask("POST", f"{SERVERS}/{(await added(admin))['id']}/test")

    assert (answer.status, answer.json["is_well"]) == (200, False)
