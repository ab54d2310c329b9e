"""Finding out where users sign in."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
from aiohttp import web

from chatd.catalog.mcp.config import ClientAuth, OAuth
from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.oauth.metadata import challenge_in, covers, issuer_documents, resource_documents
from chatd.errors import BadInput
from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import PUBLIC_URL, World, signing_in
from tests.clock import MovedClock
from tests.conftest import OWNER
from tests.traceability import proves

RESOURCE = "/.well-known/oauth-protected-resource/mcp"
METADATA = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


@pytest.fixture
async def strict(
    store: Store, bus: MemoryBus, clock: MovedClock, there: SignInServer
) -> AsyncIterator[World]:
    """Private hosts are not allowed. The machine 127.0.0.1 counts as public, 127.0.0.2 as private."""
    async with signing_in(store, bus, clock, there, private_hosts=False) as world:
        yield world


@proves("mcp-skills-hooks", 3)
async def test_a_server_tells_where_to_sign_in_and_chatd_registers_there(
    world: World, there: SignInServer
) -> None:
    config = await world.add()

    assert config.oauth == OAuth(
        client_id="client-1",
        auth_url=f"{there.origin}/authorize",
        token_url=f"{there.origin}/token",
        revocation_url=f"{there.origin}/revoke",
        scopes="read write",
        discovered=("client_id", "auth_url", "token_url", "revocation_url", "scopes"),
        issuer=there.origin,
        resource=there.url,
        client_auth=ClientAuth.NONE,
    )
    assert there.clients["client-1"] == [f"{PUBLIC_URL}/mcp/servers/{config.id}/oauth2/callback"]
    assert there.paths() == ["/mcp", RESOURCE, METADATA, "/register"]


async def test_what_was_given_is_not_asked_for(world: World, there: SignInServer) -> None:
    config = await world.add(oauth2_scopes="mine", oauth2_revocation_url=f"{there.origin}/other")

    assert config.oauth is not None
    assert (config.oauth.scopes, config.oauth.revocation_url) == ("mine", f"{there.origin}/other")
    assert config.oauth.discovered == ("client_id", "auth_url", "token_url")


async def test_a_server_at_another_address_is_asked_again(world: World, there: SignInServer) -> None:
    config = await world.add()

    changed = await world.services.administration.change(config, ServerEdit(url=f"{there.origin}/mcp/"))

    assert changed.oauth is not None
    assert changed.oauth.client_id == "client-2"


async def test_other_changes_ask_nothing(world: World, there: SignInServer) -> None:
    config = await world.add()
    asked = len(there.seen)

    await world.services.administration.change(config, ServerEdit(display_name="Tracker"))

    assert len(there.seen) == asked


async def test_a_server_that_refuses_without_a_word_is_looked_up_at_the_usual_places(
    world: World, there: SignInServer
) -> None:
    there.refuse["/mcp"] = lambda: web.Response(status=401)

    config = await world.add()

    assert config.oauth is not None
    assert config.oauth.client_id == "client-1"
    assert there.paths()[1] == RESOURCE


async def test_an_older_server_is_its_own_authorization_server(world: World, there: SignInServer) -> None:
    there.refuse["/mcp"] = lambda: web.Response(status=401)
    there.refuse[RESOURCE] = lambda: web.Response(status=404)

    config = await world.add()

    assert config.oauth is not None
    assert (config.oauth.client_id, config.oauth.resource) == ("client-1", None)
    assert there.paths()[1:3] == [RESOURCE, "/.well-known/oauth-protected-resource"]


async def test_an_openid_provider_describes_itself_elsewhere(world: World, there: SignInServer) -> None:
    there.refuse[METADATA] = lambda: web.Response(status=404)
    there.documents[OPENID] = there.metadata()

    config = await world.add()

    assert config.oauth is not None
    assert config.oauth.token_url == f"{there.origin}/token"


def other(**changes: Any) -> Callable[[SignInServer], None]:
    def change(there: SignInServer) -> None:
        there.documents[METADATA] = there.metadata() | changes

    return change


def at(path: str, answer: Callable[[], web.StreamResponse]) -> Callable[[SignInServer], None]:
    def change(there: SignInServer) -> None:
        there.refuse[path] = answer

    return change


def told(path: str, document: Any) -> Callable[[SignInServer], None]:
    def change(there: SignInServer) -> None:
        there.documents[path] = document

    return change


TROUBLES: Mapping[str, tuple[Callable[[SignInServer], None], str]] = {
    "resource of another": (
        told(RESOURCE, {"resource": "https://other.example/mcp"}),
        "another one .`resource`",
    ),
    "resource of another type": (told(RESOURCE, {"resource": 7}), "cannot be read"),
    "no resource": (at(RESOURCE, lambda: web.Response(status=404)), "cannot be read"),
    "a huge resource": (at(RESOURCE, lambda: web.Response(body=b"x" * 200_000)), "more than 128 KiB"),
    "no metadata": (at(METADATA, lambda: web.Response(status=404)), "describes itself"),
    "half metadata": (at(METADATA, lambda: web.Response(body=b"{")), "describes itself"),
    "issuer of another": (other(issuer="https://other.example"), "another one .`issuer`"),
    "no S256": (other(code_challenge_methods_supported=["plain"]), "PKCE"),
    "token endpoint of a script": (other(token_endpoint="javascript:alert(1)"), "no address"),
    "token endpoint without TLS": (other(token_endpoint="http://mcp.example/token"), "has no TLS"),
    "no token endpoint": (other(token_endpoint=None), "describes itself"),
    "no registration": (other(registration_endpoint=None), "registers no clients"),
    "registration refused": (
        at("/register", lambda: web.json_response({"error": "x"}, status=400)),
        "HTTP 400",
    ),
    "a client without an id": (told("/register", {"client_id": ""}), "cannot be sent"),
    "an id with a line end": (told("/register", {"client_id": "a\r\nb"}), "cannot be sent"),
    "a secret with a line end": (
        told("/register", {"client_id": "a", "client_secret": "b\nc"}),
        "cannot be sent",
    ),
    "no client": (told("/register", {}), "did not register"),
    "a huge header": (at("/mcp", lambda: web.Response(headers={"X": "y" * 20_000})), "the connection failed"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_what_goes_wrong_is_said_with_its_step(world: World, there: SignInServer, trouble: str) -> None:
    cause, said = TROUBLES[trouble]
    cause(there)

    with pytest.raises(BadInput, match=said) as refused:
        await world.add()

    assert refused.value.code == "discovery_failed"
    assert (await world.services.store.inventory(OWNER)).servers == ()


async def test_a_server_that_cannot_be_reached_is_not_saved(world: World, there: SignInServer) -> None:
    with pytest.raises(BadInput, match="the host cannot be reached"):
        await world.add(url="http://127.0.0.1:9/mcp")


@proves("mcp-skills-hooks", 4)
@pytest.mark.parametrize(
    "endpoint", ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"]
)
async def test_no_endpoint_in_a_private_network_is_believed(
    strict: World, there: SignInServer, endpoint: str
) -> None:
    there.documents[METADATA] = there.metadata() | {endpoint: "https://10.0.0.1/x"}

    with pytest.raises(BadInput, match="private network"):
        await strict.add()


async def test_an_administrator_may_name_a_private_server_which_signs_users_in_itself(
    store: Store, bus: MemoryBus, clock: MovedClock
) -> None:
    async with (
        SignInServer("127.0.0.2") as private,
        signing_in(store, bus, clock, private, private_hosts=False) as world,
    ):
        config = await world.add()
        await world.connect(config)

        assert await world.token() == private.access_tokens[-1]


def test_documents_are_where_the_standards_say() -> None:
    assert list(resource_documents("https://a.example/x/mcp")) == [
        "https://a.example/.well-known/oauth-protected-resource/x/mcp",
        "https://a.example/.well-known/oauth-protected-resource",
    ]
    assert list(resource_documents("https://a.example")) == [
        "https://a.example/.well-known/oauth-protected-resource"
    ]
    assert list(issuer_documents("https://a.example/t")) == [
        "https://a.example/.well-known/oauth-authorization-server/t",
        "https://a.example/.well-known/openid-configuration/t",
        "https://a.example/t/.well-known/openid-configuration",
    ]


@pytest.mark.parametrize(
    "resource",
    ["https://a.example/mcp", "https://a.example", "https://A.example/", "https://a.example/mcp/"],
)
def test_a_server_is_what_it_says_if_its_address_begins_so(resource: str) -> None:
    assert covers(resource, "https://a.example/mcp")


@pytest.mark.parametrize(
    "resource",
    [
        "https://a.example/m",
        "https://a.example/mcp/inner",
        "http://a.example/mcp",
        "https://a.example:444/mcp",
        "https://a.example.evil/mcp",
    ],
)
def test_and_another_one_if_not(resource: str) -> None:
    assert not covers(resource, "https://a.example/mcp")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ('Bearer resource_metadata="https://a.example/x"', {"resource_metadata": "https://a.example/x"}),
        (
            'Bearer realm="a", scope="b c", RESOURCE_METADATA = "d"',
            {"scope": "b c", "resource_metadata": "d"},
        ),
        ('Basic realm="a"', {}),
        ("", {}),
        ('Bearer resource_metadata="' + "a" * 5000 + '"', {}),
    ],
)
def test_a_refusal_is_read_for_what_it_tells(header: str, found: dict[str, str]) -> None:
    assert challenge_in(header) == found
