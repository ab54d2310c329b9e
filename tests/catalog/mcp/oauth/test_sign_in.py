"""Signing in: there and back, and only for the user who began."""

from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec.structs import replace

from chatd.catalog.mcp.edit import ServerEdit
from chatd.catalog.mcp.oauth.sign_in import SIGN_IN_SECONDS, TRIES_MAX
from chatd.domain.ids import UserId
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.outbound.pkce import with_parameters
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import PUBLIC_URL, World
from tests.clock import MovedClock
from tests.conftest import OWNER
from tests.traceability import proves

OTHER = UserId("other")


async def test_a_user_signs_in_and_calls_the_server_with_a_token(world: World, there: SignInServer) -> None:
    config = await world.add()
    assert await world.token() is None

    await world.connect(config)

    assert await world.token() == there.access_tokens[-1]
    assert await world.is_connected(config)
    assert await world.token(OTHER) is None


async def test_the_address_to_open_has_everything_that_protects_the_return(
    world: World, there: SignInServer
) -> None:
    config = await world.add()

    url = await world.services.sign_ins.begin(config, OWNER)

    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert url.startswith(f"{there.origin}/authorize?")
    assert query["redirect_uri"] == f"{PUBLIC_URL}/mcp/servers/{config.id}/oauth2/callback"
    assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
    assert (query["resource"], query["scope"]) == (there.url, "read write")
    assert len(query["state"]) >= 43


def test_an_address_keeps_the_parameters_that_it_has() -> None:
    assert (
        with_parameters("https://a.example/x?tenant=1", {"b": "c d"}) == "https://a.example/x?tenant=1&b=c+d"
    )


@proves("mcp-skills-hooks", 16)
@pytest.mark.parametrize("state", ["", "forged", "x" * 200])
async def test_a_return_without_the_right_state_is_refused(
    world: World, there: SignInServer, state: str
) -> None:
    config = await world.add()
    back = await world.begin(config)

    with pytest.raises(BadInput, match="not known"):
        await world.services.sign_ins.come_back(config.id, replace(back, state=state))

    assert there.asked_at("/token") == []


@proves("mcp-skills-hooks", 16)
async def test_a_state_is_used_once(world: World, there: SignInServer) -> None:
    config = await world.add()
    back = await world.begin(config)
    await world.services.sign_ins.come_back(config.id, back)

    with pytest.raises(BadInput, match="not known"):
        await world.services.sign_ins.come_back(config.id, back)

    assert len(there.asked_at("/token")) == 1


async def test_a_state_of_one_server_is_none_of_another(world: World, there: SignInServer) -> None:
    one, two = await world.add(slug="one"), await world.add(slug="two")
    back = await world.begin(one)

    with pytest.raises(BadInput, match="not known"):
        await world.services.sign_ins.come_back(two.id, back)


async def test_a_sign_in_lasts_ten_minutes(world: World, clock: MovedClock) -> None:
    config = await world.add()
    back = await world.begin(config)
    await clock.advance(SIGN_IN_SECONDS)

    with pytest.raises(BadInput, match="10 minutes"):
        await world.services.sign_ins.come_back(config.id, back)


async def test_so_does_the_code(world: World, clock: MovedClock) -> None:
    config = await world.add()
    code = await world.services.sign_ins.come_back(config.id, await world.begin(config))
    await clock.advance(SIGN_IN_SECONDS)

    with pytest.raises(BadInput, match="no sign-in to finish"):
        await world.services.sign_ins.finish(config, OWNER, code)


async def test_a_new_sign_in_takes_the_place_of_the_one_before(world: World) -> None:
    config = await world.add()
    first = await world.begin(config)
    second = await world.begin(config)

    with pytest.raises(BadInput, match="not known"):
        await world.services.sign_ins.come_back(config.id, first)
    code = await world.services.sign_ins.come_back(config.id, second)
    await world.services.sign_ins.finish(config, OWNER, code)

    assert await world.is_connected(config)


@proves("mcp-skills-hooks", 17)
async def test_a_server_that_was_changed_meanwhile_connects_no_one(world: World, there: SignInServer) -> None:
    config = await world.add()
    back = await world.begin(config)
    await world.services.administration.change(config, ServerEdit(url=f"{there.origin}/mcp/"))

    with pytest.raises(NotAllowed, match="was changed while you signed in"):
        await world.services.sign_ins.come_back(config.id, back)

    assert there.asked_at("/token") == []
    assert not await world.is_connected(config)


@proves("mcp-skills-hooks", 17)
async def test_nor_does_one_that_was_changed_before_the_code_was_repeated(
    world: World, there: SignInServer
) -> None:
    config = await world.add()
    code = await world.services.sign_ins.come_back(config.id, await world.begin(config))
    changed = await world.services.administration.change(config, ServerEdit(url=f"{there.origin}/mcp/"))

    with pytest.raises(NotAllowed, match="was changed"):
        await world.services.sign_ins.finish(changed, OWNER, code)

    assert await world.services.grants.of(config.id, OWNER) is None


async def test_a_server_that_was_deleted_meanwhile_knows_no_sign_in(world: World) -> None:
    config = await world.add()
    back = await world.begin(config)
    await world.services.store.delete(config)

    with pytest.raises(BadInput, match="not known"):
        await world.services.sign_ins.come_back(config.id, back)


async def test_the_one_who_signed_in_has_to_repeat_the_code_as_the_one_who_began(world: World) -> None:
    """An attacker sends the address that was made for them to a victim, who signs in."""
    config = await world.add()
    await world.services.sign_ins.come_back(config.id, await world.begin(config))

    assert not await world.is_connected(config)
    assert await world.token() is None


async def test_the_code_of_one_user_is_of_no_use_to_another(world: World, store: Store) -> None:
    await store.db.write(lambda tx: tx.run("insert_user", OTHER, "other", "member"))
    config = await world.add()
    mine = await world.services.sign_ins.come_back(config.id, await world.begin(config))
    await world.services.sign_ins.come_back(config.id, await world.begin(config, OTHER))

    with pytest.raises(BadInput, match="not the code"):
        await world.services.sign_ins.finish(config, OTHER, mine)

    assert not await world.is_connected(config, OTHER)


async def test_a_code_is_guessed_a_few_times_only(world: World) -> None:
    config = await world.add()
    code = await world.services.sign_ins.come_back(config.id, await world.begin(config))
    for _ in range(TRIES_MAX):
        with pytest.raises(BadInput):
            await world.services.sign_ins.finish(config, OWNER, "BBBB-BBBB")

    with pytest.raises(BadInput, match="no sign-in to finish"):
        await world.services.sign_ins.finish(config, OWNER, code)


async def test_a_code_may_be_typed_in_any_way(world: World) -> None:
    config = await world.add()
    code = await world.services.sign_ins.come_back(config.id, await world.begin(config))

    await world.services.sign_ins.finish(config, OWNER, f" {code.lower().replace('-', ' ')} ")

    assert await world.is_connected(config)


async def test_who_is_not_back_yet_is_told_so(world: World) -> None:
    config = await world.add()
    await world.services.sign_ins.begin(config, OWNER)

    with pytest.raises(BadInput, match="not come back"):
        await world.services.sign_ins.finish(config, OWNER, "BBBB-BBBB")


async def test_a_refusal_there_is_told(world: World) -> None:
    config = await world.add()
    back = await world.begin(config)

    with pytest.raises(BadInput, match=r"refused there \(access_denied\)"):
        await world.services.sign_ins.come_back(config.id, replace(back, code="", error="access_denied"))


async def test_an_answer_of_another_authorization_server_is_refused(
    world: World, there: SignInServer
) -> None:
    config = await world.add()
    back = await world.begin(config)

    with pytest.raises(BadInput, match="another authorization server"):
        await world.services.sign_ins.come_back(config.id, replace(back, issuer="https://evil.example"))

    assert there.asked_at("/token") == []


async def test_a_code_of_the_authorization_server_that_is_wrong_connects_no_one(world: World) -> None:
    config = await world.add()
    back = await world.begin(config)

    with pytest.raises(BadInput, match=r"it was refused \(invalid_grant\)"):
        await world.services.sign_ins.come_back(config.id, replace(back, code="other"))


async def test_nothing_of_a_sign_in_is_kept_in_clear(world: World, store: Store) -> None:
    config = await world.add()
    back = await world.begin(config)
    code = await world.services.sign_ins.come_back(config.id, back)

    async def everything(tx: Connection) -> str:
        return repr([tuple(row) for row in await tx.all("mcp_sign_in", config.id, OWNER)])

    waiting = await store.db.read(everything)
    await world.services.sign_ins.finish(config, OWNER, code)
    grant = await world.services.grants.of(config.id, OWNER)

    assert grant is not None
    kept = waiting + grant.sealed
    secret = [back.state, code.replace("-", ""), *world.there.access_tokens]
    assert [each for each in secret if each in kept] == []


@pytest.mark.parametrize(
    ("secret", "method"), [("s:e/c+r%et", "client_secret_basic"), ("x", "client_secret_post")]
)
async def test_a_client_with_a_secret_shows_it_the_way_that_was_agreed(
    world: World, there: SignInServer, secret: str, method: str
) -> None:
    there.secret, there.auth_method = secret, method
    config = await world.add()

    await world.connect(config)

    assert config.has_client_secret
    assert await world.is_connected(config)


async def test_a_client_that_was_made_by_hand_is_used_as_it_is(world: World, there: SignInServer) -> None:
    there.secret, there.auth_method = "by-hand", "client_secret_basic"
    config = await world.add(
        oauth2_client_id="mine",
        oauth2_client_secret="by-hand",
        oauth2_auth_url=f"{there.origin}/authorize",
        oauth2_token_url=f"{there.origin}/token",
    )

    await world.connect(config)

    assert there.paths() == ["/authorize", "/token"]
    assert await world.is_connected(config)


@proves("mcp-skills-hooks", 8)
async def test_users_are_signed_out_when_the_server_is_another(world: World, there: SignInServer) -> None:
    config = await world.add(
        oauth2_client_id="mine",
        oauth2_auth_url=f"{there.origin}/authorize",
        oauth2_token_url=f"{there.origin}/token",
    )
    await world.connect(config)

    changed = await world.services.administration.change(
        config, ServerEdit(oauth2_token_url=f"{there.origin}/token2")
    )

    assert await world.services.grants.of(config.id, OWNER) is None
    assert not await world.is_connected(changed)


async def test_a_change_that_does_not_matter_keeps_users_signed_in(world: World) -> None:
    config = await world.add()
    await world.connect(config)

    await world.services.administration.change(config, ServerEdit(display_name="Tracker", enabled=True))

    assert await world.token() is not None


async def test_an_unknown_server_is_not_found(world: World, store: Store) -> None:
    config = await world.add()
    back = await world.begin(config)

    async def lose(tx: Connection) -> None:
        await tx.script("UPDATE mcp_servers SET document = '{}';")

    await store.db.write(lose)

    with pytest.raises(NotFound):
        await world.services.sign_ins.come_back(config.id, back)
