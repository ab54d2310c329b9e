"""The bus or the database is away in the middle of turns: viewers are told, and nothing is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import Event
from tests.fleet.conftest import Fleets
from tests.fleet.picture import Picture, has_said
from tests.journeys.server import PATIENCE_SECONDS, transcript
from tests.storage.postgres.proxy import Mood, proxied
from tools.postgres import CrashingPostgres, crashing_postgres

# Half of the words are said before the outage is over, and the other half after it.
WORDS = 200
SPEECH = f"stream {WORDS} words at 20 per second"
CHATS = 10


def is_paused(picture: Picture) -> bool:
    return picture.paused


def is_told(picture: Picture) -> bool:
    return not picture.paused


def is_over(picture: Picture) -> bool:
    return bool(picture.saved) and picture.status == "waiting"


@pytest.fixture
def crashing() -> Iterator[CrashingPostgres]:
    with crashing_postgres() as server:
        yield server


class Viewer:
    def __init__(self, events: AsyncIterator[Event]) -> None:
        self.picture = Picture()
        self._events = events

    async def until(self, wanted: Callable[[Picture], bool]) -> None:
        await self.picture.watch(self._events, wanted)


async def all_until(viewers: list[Viewer], wanted: Callable[[Picture], bool]) -> None:
    await asyncio.gather(*(viewer.until(wanted) for viewer in viewers))


@pytest.mark.timeout(120)
async def test_while_no_hints_travel_words_come_late_and_viewers_are_told(
    fleet_of: Fleets, fleet_database: str
) -> None:
    async with (
        proxied(fleet_database) as bus,
        fleet_of(2, env={"CHATD_DATABASE_LISTEN_URL": bus.url}) as fleet,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        drives, other = fleet.clients()
        async with drives, other:
            chat = await drives.create_chat(SPEECH)
            here, there = (Viewer(client.stream(chat.id)) for client in (drives, other))
            await there.until(has_said(10))
            bus.cut()
            await there.until(is_paused)
            # The database is there, so the words come all the same.
            await there.until(has_said(len(there.picture.said.split()) + 10))
            bus.mood = Mood.WELL
            await there.until(is_told)
            for viewer in (here, there):
                await viewer.until(is_over)
                assert viewer.picture.resets == here.picture.resets
            assert here.picture.saved == there.picture.saved
            assert len(here.picture.saved.split()) == WORDS


@pytest.mark.timeout(120)
async def test_while_the_server_that_drives_is_not_heard_viewers_elsewhere_are_told(
    fleet_of: Fleets, fleet_database: str
) -> None:
    """Its own connection for hints is cut; what it commits arrives, and the other server listens on."""
    async with (
        proxied(fleet_database) as bus,
        fleet_of(1) as fleet,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        await fleet.add(env={"CHATD_DATABASE_LISTEN_URL": bus.url})
        other, drives = fleet.clients()
        async with drives, other:
            chat = await drives.create_chat(SPEECH)
            there = Viewer(other.stream(chat.id))
            await there.until(has_said(10))
            bus.cut()
            await there.until(is_paused)
            await there.until(has_said(len(there.picture.said.split()) + 10))
            bus.mood = Mood.WELL
            await there.until(is_told)
            await there.until(is_over)
            await nothing_is_lost(drives, chat.id)


@pytest.mark.timeout(180)
async def test_a_crash_of_the_database_in_the_middle_of_turns_fails_and_loses_none(
    fleet_of: Fleets, crashing: CrashingPostgres
) -> None:
    async with fleet_of(2, database_url=crashing.url) as fleet, asyncio.timeout(2 * PATIENCE_SECONDS):
        one, other = fleet.clients()
        async with one, other:
            begun = [(client, await client.create_chat(SPEECH)) for client in [one, other] * (CHATS // 2)]
            elsewhere = {one: other, other: one}
            viewers = [Viewer(elsewhere[client].stream(chat.id)) for client, chat in begun]
            await all_until(viewers, has_said(10))
            await asyncio.to_thread(crashing.crash)
            await all_until(viewers, is_paused)
            await asyncio.to_thread(crashing.start)
            await all_until(viewers, is_over)
            for viewer, (client, chat) in zip(viewers, begun, strict=True):
                assert is_told(viewer.picture)
                await nothing_is_lost(client, chat.id)


async def nothing_is_lost(client: AsyncClient, chat_id: str) -> None:
    asked, answered = await transcript(client, chat_id)
    assert asked == f"user: {SPEECH}"
    assert len(answered.removeprefix("assistant: ").split()) == WORDS
    assert (await client.chat(chat_id)).last_error is None
