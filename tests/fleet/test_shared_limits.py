"""What a user may do in a minute is divided among the servers that live."""

import asyncio
from functools import partial

import aiohttp
import pytest

from tests.fleet.conftest import Fleets
from tests.fleet.fleet import TOKEN, until
from tests.journeys.server import PATIENCE_SECONDS, Server

# So many that the tests can ask again and again.
LIMIT = 1_000_000


async def grants(server: Server, limit: int) -> bool:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        aiohttp.ClientSession(server.address, headers=headers) as session,
        session.get("/api/v1/chats") as answer,
    ):
        return answer.headers["ratelimit-limit"] == str(limit)


@pytest.mark.timeout(120)
async def test_each_of_two_servers_has_half_and_when_one_is_killed_the_other_has_the_whole(
    fleet_of: Fleets,
) -> None:
    env = {"CHATD_REQUESTS_PER_MINUTE": str(LIMIT)}
    async with fleet_of(2, env=env) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        stays, dies = fleet.servers
        for server in (stays, dies):
            await until(partial(grants, server, LIMIT // 2))
        await dies.kill()
        await until(partial(grants, stays, LIMIT))
