"""The bus or the database is away in the middle of turns: viewers are told, and nothing is lost."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import Event
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import TOKEN
from tests.fleet.lists import watching_list
from tests.fleet.picture import Picture, has_said
from tests.journeys.server import PATIENCE_SECONDS, transcript
from tests.storage.postgres.proxy import Mood, proxied
from tools.postgres import CrashingPostgres, crashing_postgres

# Half of the words are said before the outage is over, and the other half after it.
WORDS = 200
SPEECH = f"stream {WORDS} words at 20 per second"
# A hundred at once, each of which takes as long: as much as that many chats take on a small machine.
CHATS = 100
FEW_WORDS = 60
SLOW_SPEECH = f"stream {FEW_WORDS} words at 3 per second"


def is_paused(picture: Picture) -> bool:
    return picture.paused


def is_told(picture: Picture) -> bool:
    return not picture.paused


def is_over(picture: Picture) -> bool:
    return bool(picture.saved) and picture.status == "waiting"


def or_over(wanted: Callable[[Picture], bool]) -> Callable[[Picture], bool]:
    """On a slow machine some have said everything before others begin."""
    return lambda picture: wanted(picture) or is_over(picture)


@pytest.fixture
def crashing() -> Iterator[CrashingPostgres]:
    with crashing_postgres() as server:
        yield server


class Viewer:
    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        self.picture = Picture()
        self.events = events

    async def until(self, wanted: Callable[[Picture], bool]) -> None:
        await self.picture.watch(self.events, wanted)


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
async def test_a_crash_of_the_database_in_the_middle_of_a_hundred_turns_fails_and_loses_none(
    fleet_of: Fleets, crashing: CrashingPostgres
) -> None:
    """Half of the viewers stay; the others lose their connection in the outage, and ask for it once."""
    async with fleet_of(2, database_url=crashing.url) as fleet, asyncio.timeout(2 * PATIENCE_SECONDS):
        one, other = fleet.clients()
        impatient = {
            each: fleet.client(server, attempts_max=1)
            for each, server in zip((one, other), fleet.servers, strict=True)
        }
        async with one, other, impatient[one], impatient[other]:
            clients = [one, other] * (CHATS // 2)
            chats = await asyncio.gather(*(each.create_chat(SLOW_SPEECH) for each in clients))
            begun = list(zip(clients, chats, strict=True))
            elsewhere = {one: other, other: one}
            viewers = [Viewer(elsewhere[client].stream(chat.id)) for client, chat in begun]
            await all_until(viewers, or_over(has_said(5)))
            await asyncio.to_thread(crashing.crash)
            await all_until(viewers, or_over(is_paused))
            for viewer, (client, chat) in list(zip(viewers, begun, strict=True))[::2]:
                await viewer.events.aclose()
                viewer.events = impatient[elsewhere[client]].stream(chat.id, viewer.picture.cursor)
                # Whoever comes back is told it anew.
                viewer.picture.paused = False
            over = asyncio.create_task(all_until(viewers, is_over))
            await asyncio.to_thread(crashing.start)
            await over
            for viewer, (client, chat) in zip(viewers, begun, strict=True):
                assert is_told(viewer.picture)
                await nothing_is_lost(client, chat.id, SLOW_SPEECH, FEW_WORDS)


@pytest.mark.timeout(180)
async def test_a_list_stays_through_a_crash_of_the_database_and_is_told_of_it(
    fleet_of: Fleets, crashing: CrashingPostgres
) -> None:
    """Over the same connection: what changes afterwards arrives, and what changed meanwhile too."""
    async with fleet_of(2, database_url=crashing.url) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        one, _ = fleet.clients()
        async with one, watching_list(fleet.servers[1], TOKEN) as watched:
            chat = await one.create_chat("say Hello.")
            await watched.until("created")
            await asyncio.to_thread(crashing.crash)
            assert (await watched.until("list_paused"))["paused"] is True
            await asyncio.to_thread(crashing.start)
            assert (await watched.until("list_paused"))["paused"] is False
            await one.change_chat(chat.id, title="After the crash")
            assert (await watched.until("title_change"))["chat"]["title"] == "After the crash"


async def nothing_is_lost(
    client: AsyncClient, chat_id: str, speech: str = SPEECH, words: int = WORDS
) -> None:
    asked, answered = await transcript(client, chat_id)
    assert asked == f"user: {speech}"
    assert len(answered.removeprefix("assistant: ").split()) == words
    assert (await client.chat(chat_id)).last_error is None
