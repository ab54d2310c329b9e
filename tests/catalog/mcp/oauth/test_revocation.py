"""Disconnecting: what is kept is gone in any case, and the server is asked to take its token back."""

import pytest
from aiohttp import web
from msgspec.structs import replace

from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.services import Disconnected
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import World
from tests.conftest import OWNER
from tests.traceability import proves


async def test_the_refresh_token_is_taken_back_first(world: World, there: SignInServer) -> None:
    config = await world.add()
    await world.connect(config)

    assert await world.services.disconnect(config.id, config, OWNER) == Disconnected(token_revoked=True)
    assert [each.partition("-")[0] for each in there.revoked] == ["refresh"]
    assert there.asked_at("/revoke")[0].form["token_type_hint"] == "refresh_token"
    assert not await world.is_connected(config)
    assert await world.token() is None


async def test_the_access_token_is_sent_where_the_other_kind_is_not_supported(
    world: World, there: SignInServer
) -> None:
    config = await world.add()
    await world.connect(config)
    there.refuse["/revoke"] = lambda: web.json_response({"error": "unsupported_token_type"}, status=400)

    done = await world.services.disconnect(config.id, config, OWNER)

    assert [each.form["token_type_hint"] for each in there.asked_at("/revoke")] == [
        "refresh_token",
        "access_token",
    ]
    assert done == Disconnected(
        token_revoked=False, token_revocation_error="The server answered with HTTP 400."
    )


@proves("mcp-skills-hooks", 21)
@pytest.mark.parametrize("status", [400, 500, 503])
async def test_a_server_that_fails_to_take_it_back_is_told_of_and_the_token_is_gone(
    world: World, there: SignInServer, status: int
) -> None:
    config = await world.add()
    await world.connect(config)
    there.refuse["/revoke"] = lambda: web.Response(status=status)

    done = await world.services.disconnect(config.id, config, OWNER)

    assert done.token_revocation_error == f"The server answered with HTTP {status}."
    assert len(there.asked_at("/revoke")) == 1
    assert await world.services.grants.of(config.id, OWNER) is None


@proves("mcp-skills-hooks", 22)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(world: World, there: SignInServer, status: int) -> None:
    config = await world.add()
    await world.connect(config)
    there.refuse["/revoke"] = lambda: web.Response(status=status, headers={"Location": "/elsewhere"})

    done = await world.services.disconnect(config.id, config, OWNER)

    assert (done.token_revoked, "/elsewhere" in there.paths()) == (False, False)


async def test_without_tls_no_token_is_sent_but_on_this_machine(world: World, there: SignInServer) -> None:
    config = await world.add()
    await world.connect(config)
    grant = await world.services.grants.of(config.id, OWNER)
    assert grant is not None
    tokens = world.services.grants.tokens(grant)
    assert tokens is not None
    assert config.oauth is not None
    plain = replace(config, oauth=replace(config.oauth, revocation_url="http://10.0.0.1/revoke"))

    opened = await world.services.store.opened(config)
    assert opened is not None
    problem = await world.services.revocation.revoke(plain, opened.secrets, tokens)

    assert problem == "The address for that has no TLS."


async def test_a_server_that_takes_nothing_back_is_said_to(world: World, there: SignInServer) -> None:
    config = await world.add(
        oauth2_client_id="mine",
        oauth2_auth_url=f"{there.origin}/authorize",
        oauth2_token_url=f"{there.origin}/token",
    )
    await world.connect(config)

    done = await world.services.disconnect(config.id, config, OWNER)

    assert done.token_revocation_error == "The server tells no address for that."


@proves("mcp-skills-hooks", 23)
async def test_a_user_disconnects_from_a_server_that_they_can_no_longer_use(
    world: World, there: SignInServer
) -> None:
    """There are no groups that one could leave; a server can be switched off for all."""
    config = await world.add()
    await world.connect(config)
    off = await world.services.administration.change(config, ServerEdit(enabled=False))

    done = await world.services.disconnect(config.id, off, OWNER)

    assert (done.token_revoked, len(there.revoked)) == (True, 1)


async def test_a_server_that_is_gone_has_no_sign_in_left(world: World, there: SignInServer) -> None:
    config = await world.add()
    await world.connect(config)
    await world.services.store.delete(config)

    done = await world.services.disconnect(config.id, None, OWNER)

    assert (done, there.revoked) == (Disconnected(token_revoked=False), [])


async def test_who_was_never_connected_is_disconnected(world: World) -> None:
    config = await world.add()

    assert await world.services.disconnect(config.id, config, OWNER) == Disconnected(token_revoked=False)
