"""Attempts to misuse the MCP servers that users may add: each is stopped.

There are three machines here. 127.0.0.1 counts as one of the internet, and is the attacker's. 127.0.0.2
counts as one of the operator's private network, with something that only the server can reach. The third is
ours.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import structlog
from aiohttp import web
from starlette.types import ASGIApp

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.kit.outbound.reach import Reach, system_resolve
from chatd.storage.transactions.transact import Store
from tests.api.client import Answer, Client
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import is_of_the_internet, returned, services_at

SERVERS = "/api/v1/mcp-servers"
NAMES = {
    "innocent.example": ["127.0.0.2"],
    "both.example": ["127.0.0.1", "127.0.0.2"],
    "attacker.example": ["127.0.0.1"],
    # Public when it was saved, and private when it is called.
    "rebound.example": ["127.0.0.2"],
}
RESOURCE = "/.well-known/oauth-protected-resource/mcp"
METADATA = "/.well-known/oauth-authorization-server"


async def resolve(host: str, port: int) -> Sequence[str]:
    return NAMES[host] if host in NAMES else await system_resolve(host, port)


@pytest.fixture
def place(sqlite_template: Path) -> Path:
    """No attempt depends on the database."""
    return sqlite_template


@pytest.fixture
async def attacker() -> AsyncIterator[SignInServer]:
    async with SignInServer("127.0.0.1") as attacker:
        yield attacker


@pytest.fixture
async def inside() -> AsyncIterator[SignInServer]:
    """What must not be called."""
    async with SignInServer("127.0.0.2") as inside:
        yield inside


@pytest.fixture
def app(store: Store) -> ASGIApp:
    reach = Reach(private_hosts=False, resolve=resolve, may_call=is_of_the_internet)
    return build(store, mcp=services_at(store, reach))


@pytest.fixture
def anonymous(app: ASGIApp) -> Client:
    """A browser that comes back."""
    return Client(app)


@pytest.fixture
async def member(app: ASGIApp, store: Store, owner: UserId) -> Client:
    return Client(app, await create_token(store.db, owner, "test"))


@pytest.fixture
async def admin(app: ASGIApp, store: Store) -> Client:
    user = await create_user(store.db, "root", UserRole.ADMIN)
    return Client(app, await create_token(store.db, user.id, "test"))


async def add(caller: Client, url: str, **fields: Any) -> Answer:
    return await caller.post(SERVERS, {"slug": "evil", "url": url, **fields})


LITERALS = [
    "https://127.0.0.1/mcp",
    "https://127.1/mcp",
    "https://2130706433/mcp",
    "https://0/mcp",
    "https://10.0.0.1/mcp",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/mcp",
    "https://[::ffff:169.254.169.254]/mcp",
    "https://[64:ff9b::a9fe:a9fe]/mcp",
    "https://[fd00:ec2::254]/mcp",
    "https://localhost/mcp",
    "https://printer.local/mcp",
    "https://metadata.google.internal/mcp",
]


@pytest.mark.parametrize("url", LITERALS)
async def test_a_private_address_in_a_url(member: Client, url: str) -> None:
    answer = await add(member, url)

    assert (answer.status, answer.error["field"]) == (400, "url")


@pytest.mark.parametrize("name", ["innocent.example", "both.example"])
async def test_a_name_that_leads_into_a_private_network(member: Client, name: str) -> None:
    answer = await add(member, f"https://{name}/mcp")

    assert (answer.status, answer.error["code"]) == (400, "address_refused")


async def test_a_change_of_the_address_to_a_private_one(member: Client) -> None:
    added = await add(member, "https://attacker.example/mcp")
    assert added.status == 201, added.body

    answer = await member.patch(f"{SERVERS}/{added.json['id']}", {"url": "https://innocent.example/mcp"})

    assert answer.status == 400
    assert (await member.get(f"{SERVERS}/{added.json['id']}")).json["url"] == "https://attacker.example/mcp"


async def test_a_name_that_leads_elsewhere_once_it_is_called(
    admin: Client, attacker: SignInServer, inside: SignInServer
) -> None:
    """What counts is the address of the connection, and not what the name was found to be before."""
    port = inside.origin.rpartition(":")[2]
    attacker.documents[METADATA] = attacker.metadata() | {
        "registration_endpoint": f"https://rebound.example:{port}/register"
    }

    answer = await add(admin, attacker.url, scope="deployment", auth_type="oauth2")

    assert (answer.status, answer.error["code"]) == (400, "discovery_failed")
    assert "the address is in a private network" in answer.error["message"]


def pointing(**changes: str) -> Callable[[SignInServer, SignInServer], None]:
    def change(attacker: SignInServer, inside: SignInServer) -> None:
        attacker.documents[METADATA] = attacker.metadata() | {
            name: f"{inside.origin}{path}" for name, path in changes.items()
        }

    return change


def challenging(attacker: SignInServer, inside: SignInServer) -> None:
    header = f'Bearer resource_metadata="{inside.origin}{RESOURCE}"'
    attacker.refuse["/mcp"] = lambda: web.Response(status=401, headers={"WWW-Authenticate": header})


def issuing(attacker: SignInServer, inside: SignInServer) -> None:
    attacker.documents[RESOURCE] = {"resource": attacker.url, "authorization_servers": [inside.origin]}


def redirecting(path: str) -> Callable[[SignInServer, SignInServer], None]:
    def change(attacker: SignInServer, inside: SignInServer) -> None:
        location = {"Location": f"{inside.origin}{path}"}
        attacker.refuse[path] = lambda: web.Response(status=307, headers=location)

    return change


POINTERS = {
    "the challenge": challenging,
    "the issuer": issuing,
    "the registration endpoint": pointing(registration_endpoint="/register"),
    "the token endpoint": pointing(token_endpoint="/token"),
    "the revocation endpoint": pointing(revocation_endpoint="/revoke"),
    "a redirect of the server": redirecting("/mcp"),
    "a redirect of its metadata": redirecting(RESOURCE),
    "a redirect of the issuer": redirecting(METADATA),
    "a redirect of the registration": redirecting("/register"),
}


@pytest.mark.parametrize("pointer", POINTERS)
async def test_a_discovery_that_points_into_a_private_network(
    admin: Client, attacker: SignInServer, inside: SignInServer, pointer: str
) -> None:
    """Even for a server that an administrator has added in good faith."""
    POINTERS[pointer](attacker, inside)

    answer = await add(admin, attacker.url, scope="deployment", auth_type="oauth2")

    assert inside.seen == []
    if answer.status == 201:
        # A redirect is not followed: the server was asked at the usual places instead.
        assert inside.origin not in json.dumps(answer.json)
    else:
        assert answer.error["code"] == "discovery_failed"


async def test_a_program_of_a_members_own(member: Client) -> None:
    body = {"slug": "evil", "transport": "stdio", "command": ["sh", "-c", "id"]}

    own = await member.post(SERVERS, body)
    shared = await member.post(SERVERS, body | {"scope": "deployment"})

    assert (own.status, own.error["field"]) == (400, "transport")
    assert (shared.status, shared.error["code"]) == (403, "not_permitted")
    assert (await member.get(SERVERS)).json["mcp_servers"] == []


async def test_a_remote_server_that_becomes_a_program(member: Client) -> None:
    added = await add(member, "https://attacker.example/mcp")

    answer = await member.patch(
        f"{SERVERS}/{added.json['id']}", {"transport": "stdio", "command": ["sh"], "url": None}
    )

    assert answer.status == 400


async def test_an_administrators_server_that_a_member_takes_over(admin: Client, member: Client) -> None:
    body = {"slug": "desk", "scope": "deployment", "url": "https://attacker.example/mcp"}
    server = (await admin.post(SERVERS, body)).json
    path = f"{SERVERS}/{server['id']}"

    answers = [
        await member.patch(path, {"url": "https://innocent.example"}),
        await member.patch(path, {"scope": "user"}),
        await member.delete(path),
    ]

    assert [answer.status for answer in answers] == [403, 400, 403]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Evil": "a\r\nAuthorization: Bearer stolen"},
        {"X-Evil\r\nX-Other": "a"},
        {"X-Evil": "a\nb"},
        {"X-Evil": "a\0b"},
        {"Host": "innocent.example"},
        {"Content-Length": "0"},
        {"Transfer-Encoding": "chunked"},
        {"Mcp-Session-Id": "of another"},
    ],
)
async def test_a_header_that_begins_another_or_belongs_to_the_connection(
    member: Client, headers: dict[str, str]
) -> None:
    answer = await add(
        member, "https://attacker.example/mcp", auth_type="custom_headers", custom_headers=headers
    )

    assert (answer.status, answer.error["field"]) == (400, "custom_headers")


async def test_a_slug_that_claims_the_tools_of_another_server(admin: Client, member: Client) -> None:
    body = {"slug": "bank", "scope": "deployment", "url": "https://attacker.example/mcp"}
    await admin.post(SERVERS, body)

    for slug in ("bank", "bank__transfer", "bank_", "Bank"):
        answer = await member.post(SERVERS, {"slug": slug, "url": "https://attacker.example/mcp"})
        assert answer.status in (400, 409), slug


SECRETS = ("key-secret-1", "header-secret-2", "client-secret-3", "env-secret-4")


async def test_a_secret_in_any_answer_log_or_error(admin: Client, member: Client) -> None:
    url = "https://attacker.example/mcp"
    kinds: list[dict[str, Any]] = [
        {"auth_type": "api_key", "api_key_value": SECRETS[0], "url": url},
        {"auth_type": "custom_headers", "custom_headers": {"X-Key": SECRETS[1]}, "url": url},
        {
            "auth_type": "oauth2",
            "oauth2_client_id": "c",
            "oauth2_client_secret": SECRETS[2],
            "oauth2_auth_url": url,
            "oauth2_token_url": url,
            "url": url,
        },
        {"transport": "stdio", "command": ["run"], "env": {"KEY": SECRETS[3]}},
    ]
    answers: list[Answer] = []
    with structlog.testing.capture_logs() as logged:
        for number, fields in enumerate(kinds):
            body = {"slug": f"s{number}", "scope": "deployment", **fields}
            # Saved, refused because it is there already, and refused with something wrong in it.
            for wrong in ({}, {}, {"slug": "A"}, {"call_seconds": 0}, {"unknown": 1}):
                answers += [await admin.post(SERVERS, body | wrong)]
        for server in (await admin.get(SERVERS)).json["mcp_servers"]:
            for caller in (admin, member):
                path = f"{SERVERS}/{server['id']}"
                answers += [await caller.get(path), await caller.patch(path, {"description": "d"})]
                answers += [
                    await caller.patch(path, {"url": "https://elsewhere.example"}),
                    await caller.get(SERVERS),
                ]

    told = b"".join(answer.body for answer in answers).decode() + repr(logged)
    assert len([answer for answer in answers if answer.status == 201]) == 4
    assert [secret for secret in SECRETS if secret in told] == []


async def test_a_stored_key_that_is_to_be_sent_to_the_attacker(admin: Client) -> None:
    """An administrator who does not know the key changes the address, to read it there."""
    added = await add(
        admin,
        "https://attacker.example/mcp",
        scope="deployment",
        auth_type="api_key",
        api_key_value=SECRETS[0],
    )

    for change in ({"url": "https://other.example/mcp"}, {"url": "https://attacker.example:444/mcp"}):
        answer = await admin.patch(f"{SERVERS}/{added.json['id']}", change)
        assert (answer.status, answer.error["code"]) == (400, "secret_needed")


@pytest.fixture
async def signed(admin: Client, attacker: SignInServer) -> str:
    added = await add(admin, attacker.url, scope="deployment", auth_type="oauth2")
    assert added.status == 201, added.body
    return str(added.json["id"])


async def come_back(anonymous: Client, server_id: str, **query: str) -> Answer:
    return await anonymous.get(f"/mcp/servers/{server_id}/oauth2/callback", **query)


async def begun(caller: Client, attacker: SignInServer, server_id: str) -> dict[str, str]:
    answer = await caller.ask("POST", f"{SERVERS}/{server_id}/oauth2/connect")
    back = returned(await attacker.visit(answer.json["authorization_url"]))
    return {"state": back.state, "code": back.code}


@pytest.mark.parametrize(
    "change",
    [
        lambda query: {**query, "state": ""},
        lambda query: {**query, "state": query["state"][:-1]},
        lambda query: {**query, "state": query["state"] + "x"},
        lambda query: {**query, "state": "0" * 43},
        lambda query: {"code": query["code"]},
    ],
    ids=["empty", "shorter", "longer", "guessed", "none"],
)
async def test_a_forged_state(
    member: Client,
    anonymous: Client,
    attacker: SignInServer,
    signed: str,
    change: Callable[[dict[str, str]], dict[str, str]],
) -> None:
    query = await begun(member, attacker, signed)

    answer = await come_back(anonymous, signed, **change(query))

    assert (answer.status, attacker.asked_at("/token")) == (400, [])


async def test_a_state_that_is_used_by_many_at_once(
    member: Client, anonymous: Client, attacker: SignInServer, signed: str
) -> None:
    query = await begun(member, attacker, signed)

    async with asyncio.TaskGroup() as group:
        tries = [group.create_task(come_back(anonymous, signed, **query)) for _ in range(5)]

    assert sorted(each.result().status for each in tries) == [200, 400, 400, 400, 400]
    assert len(attacker.asked_at("/token")) == 1


async def test_a_victim_who_signs_in_for_the_attacker(
    member: Client, anonymous: Client, attacker: SignInServer, signed: str
) -> None:
    """The attacker is `member`, and sends the victim the address. The victim's browser shows the code."""
    query = await begun(member, attacker, signed)
    page = await come_back(anonymous, signed, **query)
    assert page.status == 200

    guesses = [await member.post(f"{SERVERS}/{signed}/oauth2/finish", {"code": "BBBBBBBB"}) for _ in range(6)]

    assert {guess.status for guess in guesses} == {400}
    assert (await member.get(f"{SERVERS}/{signed}")).json["auth_connected"] is False


async def test_a_token_with_a_line_end_that_would_begin_another_header(
    member: Client, anonymous: Client, attacker: SignInServer, signed: str
) -> None:
    query = await begun(member, attacker, signed)
    attacker.documents["/token"] = {"access_token": "a\r\nX-Evil: b", "token_type": "Bearer"}

    answer = await come_back(anonymous, signed, **query)

    assert answer.status == 400
    assert b"the token is one that cannot be sent" in answer.body


async def test_a_script_in_what_a_browser_comes_back_with(
    member: Client, anonymous: Client, attacker: SignInServer, signed: str
) -> None:
    query = await begun(member, attacker, signed)

    answer = await come_back(anonymous, signed, state=query["state"], error="<script>alert(1)</script>")

    assert answer.status == 400
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


ENDLESS = b"x" * (1024 * 1024)
HUGE: dict[str, Callable[[], web.StreamResponse]] = {
    "a megabyte": lambda: web.Response(body=ENDLESS),
    "deeply nested": lambda: web.Response(body=b"[" * 100_000),
    "a long header": lambda: web.Response(headers={"X-Long": "y" * 100_000}),
    "many scopes": lambda: web.json_response({"resource": "x", "scopes_supported": ["s"] * 10_000}),
}


@pytest.mark.parametrize("document", HUGE)
@pytest.mark.parametrize("path", ["/mcp", RESOURCE, METADATA, "/register"])
async def test_a_document_without_end(
    admin: Client, attacker: SignInServer, path: str, document: str
) -> None:
    attacker.refuse[path] = HUGE[document]

    answer = await add(admin, attacker.url, scope="deployment", auth_type="oauth2")

    # What an open server says to a stranger does not matter, as long as it has an end.
    assert (answer.status, answer.error["code"] if answer.status != 201 else "") in [
        (400, "discovery_failed"),
        (201, ""),
    ]
    assert answer.status == 400 or path == "/mcp"


async def test_more_servers_and_more_calls_than_one_user_may_have(member: Client) -> None:
    statuses = [
        (await member.post(SERVERS, {"slug": f"s{number}", "url": "https://attacker.example"})).status
        for number in range(40)
    ]

    assert statuses.count(201) == 20
    assert set(statuses[20:]) == {429}
