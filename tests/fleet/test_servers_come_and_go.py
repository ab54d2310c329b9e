"""Servers are started, stopped and upgraded one after the other, and people notice nothing."""

import asyncio
from functools import partial

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError
from chatd.client.events import PartSpoken, PreviewReset
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import until as until_true
from tests.fleet.people import token_of
from tests.journeys.server import PATIENCE_SECONDS, is_idle, transcript, until

# Longer than any test.
SPEECH = "stream 5000 words at 20 per second"


async def hosts_and_chats(client: AsyncClient) -> list[tuple[str | None, int]]:
    return [(each.address, each.chats) for each in await client.replicas()]


@pytest.mark.timeout(120)
async def test_the_servers_of_a_fleet_are_listed_with_what_they_drive(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        one, other = fleet.servers
        async with fleet.client(one) as client, asyncio.timeout(PATIENCE_SECONDS):
            await client.create_chat("wait 3000")
            assert await hosts_and_chats(client) == [(one.address, 1), (other.address, 0)]
            assert await other.stop() == 0
            assert await hosts_and_chats(client) == [(one.address, 1)]


@pytest.mark.timeout(120)
async def test_a_server_without_a_worker_leaves_its_chats_to_others(fleet_of: Fleets) -> None:
    async with fleet_of(1) as fleet:
        only_answers = await fleet.add("--no-worker")
        async with fleet.client(only_answers) as client, asyncio.timeout(PATIENCE_SECONDS):
            chat = await client.create_chat("stream 20 words at 100 per second\nsay Done.")
            await until(client, chat.id, is_idle)
            assert (await transcript(client, chat.id))[-1].endswith("Done.")
            assert [each.worker_id is None for each in await client.replicas()] == [False, True]


@pytest.mark.timeout(120)
async def test_a_worker_drives_the_chats_of_servers_that_only_answer(fleet_of: Fleets) -> None:
    async with fleet_of(0) as fleet:
        answers = await fleet.add("--no-worker")
        works = await fleet.add(command="worker")
        async with fleet.client(answers) as client, fleet.client(works) as of_worker:
            async with asyncio.timeout(PATIENCE_SECONDS):
                chat = await client.create_chat("stream 20 words at 100 per second\nsay Done.")
                await until(client, chat.id, is_idle)
                assert (await transcript(client, chat.id))[-1].endswith("Done.")
                told = [(each.address, each.worker_id is None) for each in await client.replicas()]
                assert told == [(answers.address, True), (None, False)]

                await of_worker.alive()
                await of_worker.ready()
                with pytest.raises(ApiError, match="There is nothing at"):
                    await of_worker.chat(chat.id)
                assert not (works.folder / "data" / "server-address").exists()


@pytest.mark.timeout(120)
async def test_a_chat_goes_on_at_another_server_when_its_own_is_stopped(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        leaves, stays = fleet.servers
        async with fleet.client(leaves) as client:
            chat = await client.create_chat("stream 500 words at 100 per second\nwait 3000")
        async with fleet.client(stays) as client:
            seen = await words_of(client, chat.id, 20)
            assert await leaves.stop() == 0
            # What was said stays until the next attempt speaks, and that one says the same.
            assert (await words_of(client, chat.id, 20)).startswith(seen)
            assert len((await words_of(client, chat.id, 500)).split()) == 500
            assert await hosts_and_chats(client) == [(stays.address, 1)]


async def words_of(client: AsyncClient, chat_id: str, count: int) -> str:
    """What a new viewer is shown of the preview, as soon as it has so many words."""
    said = ""
    async for event in client.stream(chat_id):
        if isinstance(event, PreviewReset):
            said = ""
        if isinstance(event, PartSpoken):
            said += event.part.text or ""
        if len(said.split()) >= count:
            return " ".join(said.split()[:count])
    raise AssertionError("the stream ended")


@pytest.mark.timeout(120)
async def test_chats_that_would_wait_for_a_slot_begin_at_a_server_that_has_one(fleet_of: Fleets) -> None:
    # Of three slots a user holds two.
    async with fleet_of(2, env={"CHATD_CONCURRENCY": "3"}) as fleet:
        one, other = fleet.servers
        async with fleet.client(one) as client, asyncio.timeout(PATIENCE_SECONDS):
            for count in range(1, 5):
                chat = await client.create_chat(SPEECH)
                await words_of(client, chat.id, 1)
                assert sum(chats for _, chats in await hosts_and_chats(client)) == count
            assert await hosts_and_chats(client) == [(one.address, 2), (other.address, 2)]


@pytest.mark.timeout(120)
async def test_a_user_with_more_chats_than_all_servers_have_slots_keeps_nobody_waiting(
    fleet_of: Fleets,
) -> None:
    # Of three slots a user holds two.
    async with (
        fleet_of(2, env={"CHATD_CONCURRENCY": "3"}) as fleet,
        asyncio.timeout(PATIENCE_SECONDS),
        fleet.clients()[0] as busy,
    ):
        _, token = await token_of(busy, "other")
        for _ in range(4):
            chat = await busy.create_chat(SPEECH)
            await words_of(busy, chat.id, 1)
        # These wait.
        for _ in range(4):
            await busy.create_chat(SPEECH)
        for server in fleet.servers:
            async with AsyncClient(server.address, token) as client:
                chat = await client.create_chat(SPEECH)
                await words_of(client, chat.id, 1)


@pytest.mark.timeout(120)
async def test_where_no_server_has_a_slot_chats_wait_and_then_begin(fleet_of: Fleets) -> None:
    async with fleet_of(2, env={"CHATD_CONCURRENCY": "3"}) as fleet, fleet.clients()[0] as client:
        chats = [await client.create_chat("stream 20 words at 20 per second") for _ in range(12)]
        for chat in chats:
            await until(client, chat.id, is_idle)
            assert (await client.chat(chat.id)).last_error is None


@pytest.mark.timeout(120)
async def test_a_newer_version_migrates_and_the_older_servers_stay_ready(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        one, other = fleet.clients()
        async with one, other, asyncio.timeout(PATIENCE_SECONDS):
            await fleet.query("INSERT INTO migrations VALUES (9998, 'add_something', 0)")
            for client in (one, other):
                await client.ready()
            chat = await one.create_chat("say Hello.")
            await until(other, chat.id, is_idle)

            await fleet.query("INSERT INTO migrations VALUES (9999, 'drop_it_without_older_servers', 0)")
            for client in (one, other):
                await until_true(partial(is_not_ready, client))


async def is_not_ready(client: AsyncClient) -> bool:
    try:
        await client.ready()
    except ApiError:
        return True
    return False
