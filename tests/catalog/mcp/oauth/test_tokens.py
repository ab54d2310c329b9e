"""Tokens that stay usable while chats run."""

import asyncio
from collections.abc import Callable, Mapping

import pytest
from aiohttp import web

from chatd.catalog.mcp.oauth.tokens import REFRESH_EARLY_SECONDS
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Store
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import World, signing_in
from tests.clock import MovedClock
from tests.conftest import OWNER
from tests.traceability import proves

HOUR = 3600
TROUBLES: Mapping[str, Callable[[], web.StreamResponse]] = {
    "busy": lambda: web.Response(status=503),
    "too many requests": lambda: web.Response(status=429, text="slow down"),
    "away": lambda: web.json_response({"error": "temporarily_unavailable"}, status=400),
    "a wrong client": lambda: web.json_response({"error": "invalid_client"}, status=401),
    "a page": lambda: web.Response(text="<html>"),
    "a token with a line end": lambda: web.json_response({"access_token": "a\r\nb"}),
    "a token of another type": lambda: web.json_response({"access_token": "a", "token_type": "mac"}),
    "a redirect": lambda: web.Response(status=307, headers={"Location": "/elsewhere"}),
}


async def test_a_token_that_lasts_is_not_refreshed(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    await clock.advance(HOUR - REFRESH_EARLY_SECONDS - 1)

    assert await world.token() == there.access_tokens[0]
    assert len(there.asked_at("/token")) == 1


@proves("mcp-skills-hooks", 18)
async def test_a_token_that_ends_soon_is_refreshed_once_for_all_turns(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    await clock.advance(HOUR - 5)
    there.may_answer.clear()

    async with asyncio.TaskGroup() as group:
        turns = [group.create_task(world.token()) for _ in range(5)]
        await there.until_asked("/token", 2)
        there.may_answer.set()

    assert {turn.result() for turn in turns} == {there.access_tokens[1]}
    assert len(there.asked_at("/token")) == 2
    assert await world.token() == there.access_tokens[1]


async def test_the_next_refresh_is_made_with_the_token_that_replaced_the_first(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    for number in (1, 2, 3):
        await clock.advance(HOUR)
        assert await world.token() == there.access_tokens[number]


async def test_a_server_that_does_not_replace_the_refresh_token_is_asked_with_it_again(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    there.rotates = False
    for number in (1, 2):
        await clock.advance(HOUR)
        assert await world.token() == there.access_tokens[number]


@proves("mcp-skills-hooks", 19)
async def test_a_refusal_for_good_is_remembered_and_nothing_is_asked_again(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    config = await world.add()
    await world.connect(config)
    there.forget_refresh_tokens()
    await clock.advance(HOUR)

    assert [await world.token() for _ in range(3)] == [None, None, None]
    assert len(there.asked_at("/token")) == 2
    assert not await world.is_connected(config)

    await world.connect(config)
    assert await world.token() == there.access_tokens[-1]


@proves("mcp-skills-hooks", 19)
async def test_a_refusal_in_an_answer_that_claims_success_counts_as_well(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    config = await world.add()
    await world.connect(config)
    there.refuse["/token"] = lambda: web.json_response({"error": "bad_refresh_token"})
    await clock.advance(HOUR)

    assert await world.token() is None
    assert not await world.is_connected(config)


@proves("mcp-skills-hooks", 20)
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_failure_that_may_pass_is_tried_again_with_the_next_turn(
    world: World, there: SignInServer, clock: MovedClock, trouble: str
) -> None:
    config = await world.add()
    await world.connect(config)
    there.refuse["/token"] = TROUBLES[trouble]
    await clock.advance(HOUR)

    assert await world.token() is None
    assert await world.is_connected(config)
    assert "/elsewhere" not in there.paths()
    del there.refuse["/token"]
    assert await world.token() == there.access_tokens[-1]


async def test_until_it_ends_the_old_token_is_used_while_a_new_one_cannot_be_had(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    there.refuse["/token"] = lambda: web.Response(status=503)
    await clock.advance(HOUR - 5)

    assert await world.token() == there.access_tokens[0]


@pytest.mark.parametrize("told", [None, "soon", -1, 10**15])
async def test_a_token_whose_end_is_not_told_is_used_as_it_is(
    world: World, there: SignInServer, clock: MovedClock, told: object
) -> None:
    there.expires_in = told
    await world.connect(await world.add())
    await clock.advance(1000 * HOUR)

    assert await world.token() == there.access_tokens[0]


async def test_an_end_that_is_told_as_text_counts(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    there.expires_in = "3600"
    await world.connect(await world.add())
    await clock.advance(HOUR)

    assert await world.token() == there.access_tokens[1]


async def test_a_turn_that_is_stopped_leaves_its_refresh_to_the_others(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    await world.connect(await world.add())
    await clock.advance(HOUR)
    there.may_answer.clear()
    async with asyncio.TaskGroup() as group:
        stopped = group.create_task(world.token())
        await there.until_asked("/token", 2)
        stopped.cancel()
        other = group.create_task(world.token())
        await asyncio.sleep(0)
        there.may_answer.set()

    assert other.result() == there.access_tokens[1]
    assert len(there.asked_at("/token")) == 2


async def test_a_user_who_disconnects_during_a_refresh_stays_disconnected(
    world: World, there: SignInServer, clock: MovedClock
) -> None:
    config = await world.add()
    await world.connect(config)
    await clock.advance(HOUR)
    there.may_answer.clear()
    async with asyncio.TaskGroup() as group:
        turn = group.create_task(world.token())
        await there.until_asked("/token", 2)
        await world.services.disconnect(config.id, config, OWNER)
        there.may_answer.set()

    assert turn.result() is None
    assert await world.services.grants.of(config.id, OWNER) is None


async def test_two_servers_of_a_fleet_that_refresh_at_once_end_up_with_one_token(
    store: Store, bus: MemoryBus, clock: MovedClock, there: SignInServer
) -> None:
    async with signing_in(store, bus, clock, there) as one, signing_in(store, bus, clock, there) as two:
        config = await one.add()
        await one.connect(config)
        await clock.advance(HOUR)
        there.may_answer.clear()
        async with asyncio.TaskGroup() as group:
            turns = [group.create_task(world.token()) for world in (one, two)]
            await there.until_asked("/token", 3)
            there.may_answer.set()

        assert await one.is_connected(config)
        assert await one.token() == await two.token() == there.access_tokens[1]
        assert [turn.result() for turn in turns].count(there.access_tokens[1]) >= 1


async def test_tokens_that_cannot_be_unsealed_are_none(world: World, store: Store) -> None:
    await world.connect(await world.add())

    async def damage(tx: Connection) -> None:
        await tx.script("UPDATE mcp_grants SET tokens = tokens || 'x';")

    await store.db.write(damage)

    assert await world.token() is None
