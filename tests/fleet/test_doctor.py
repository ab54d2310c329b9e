"""`chatd doctor` tells which servers share the database, and whether any of them drives chats."""

import asyncio
import json
from socket import gethostname
from subprocess import CompletedProcess

import pytest

from chatd import __version__
from tests.cli.program import chatd
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import TOKEN, Fleet
from tests.journeys.server import PATIENCE_SECONDS, Server

NONE_DRIVES = "None of those that run drives chats. Start `chatd worker`, or one without --no-worker."


async def examined(server: Server, database_url: str) -> tuple[bool, str]:
    """What the doctor finds about the servers, asked beside this one."""

    def run() -> CompletedProcess[str]:
        arguments = ("doctor", "--data-dir", "data", "--url", server.address, "--token", TOKEN, "--json")
        return chatd(server.folder, *arguments, more={"CHATD_DATABASE_URL": database_url})

    ended = await asyncio.to_thread(run)
    found = {each["what"]: each for each in json.loads(ended.stdout)["findings"]}
    is_well: bool = found["servers"]["is_well"]
    # All else is well here, so this alone decides how the program ends.
    assert ended.returncode == (0 if is_well else 1), ended.stdout
    return is_well, found["servers"]["says"]


def listed(*drives: tuple[Server, str]) -> str:
    return "; ".join(
        f"{gethostname()} {server.address} ({__version__}) drives {chats} chats" for server, chats in drives
    )


@pytest.mark.timeout(120)
async def test_servers_are_listed_with_their_addresses_and_how_many_chats_each_drives(
    fleet_of: Fleets, fleet_database: str
) -> None:
    async with fleet_of(2) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        one, other = fleet.servers
        await begin_chats(fleet, one, 2)
        await begin_chats(fleet, other, 1)
        assert await examined(one, fleet_database) == (True, listed((one, "2"), (other, "1")))

        answers = await fleet.add("--no-worker")
        told = listed((one, "2"), (other, "1"), (answers, "no"))
        assert await examined(other, fleet_database) == (True, told)


async def begin_chats(fleet: Fleet, server: Server, count: int) -> None:
    """Chats that this server drives, and goes on to drive."""
    async with fleet.client(server) as client:
        for _ in range(count):
            await client.create_chat("wait 3000")


@pytest.mark.timeout(120)
async def test_where_servers_only_answer_it_is_told_that_none_drives_chats(
    fleet_of: Fleets, fleet_database: str
) -> None:
    async with fleet_of(0) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        one, _ = await fleet.add("--no-worker"), await fleet.add("--no-worker")
        assert await examined(one, fleet_database) == (False, NONE_DRIVES)

        works = await fleet.add(command="worker")
        is_well, told = await examined(one, fleet_database)
        assert (is_well, told.endswith("drives 0 chats")) == (True, True)

        assert await works.stop() == 0
        assert await examined(one, fleet_database) == (False, NONE_DRIVES)
