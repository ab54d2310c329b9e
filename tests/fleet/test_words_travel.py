"""What is said on one server is seen word by word on the others, whatever happens to the first."""

import asyncio
from itertools import accumulate

import pytest

from chatd.client.errors import Unreachable
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import until
from tests.fleet.picture import Picture, has_said, seen
from tests.journeys.server import PATIENCE_SECONDS, transcript

# The model says its words and is then silent, so that nothing but live parts can have told them.
WORDS = 300
SPEECH = f"stream {WORDS} words at 100 per second\nwait 3000"
# Slow enough that a server can be killed before half of it is said.
SLOW_WORDS = 160
SLOW_SPEECH = f"stream {SLOW_WORDS} words at 20 per second\nwait 3000"
SHORT = "stream 20 words at 100 per second\nwait 3000"


@pytest.mark.timeout(120)
async def test_viewers_everywhere_see_every_word_in_order(fleet_of: Fleets) -> None:
    async with fleet_of(3) as fleet:
        drives, *others = fleet.clients()
        async with drives, others[0], others[1], asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(SPEECH)
            pictures = await asyncio.gather(
                *(seen(client, chat.id, has_said(WORDS)) for client in (drives, *others, others[0]))
            )
            here, *elsewhere = pictures
            for picture in elsewhere:
                assert picture.said == here.said
                assert picture.seqs[-1] == here.seqs[-1]
                assert picture.seqs == sorted(set(picture.seqs))
            # One who comes late, and one who comes back in the middle, at any server.
            for client in (drives, *others):
                late = await seen(client, chat.id, has_said(WORDS))
                assert late.said == here.said


@pytest.mark.timeout(120)
async def test_a_viewer_goes_on_at_another_server_at_the_next_word(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        drives, other = fleet.clients()
        async with drives, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(SPEECH)
            picture = Picture()
            for count, client in enumerate([drives, other] * 3, 1):
                events = client.stream(chat.id, picture.cursor)
                await picture.watch(events, has_said(count * WORDS // 6))
                await events.aclose()
            whole = await seen(drives, chat.id, has_said(WORDS))
            assert picture.said == whole.said
            assert picture.resets == whole.resets


@pytest.mark.timeout(120)
async def test_a_viewer_whose_server_is_killed_goes_on_at_another_at_the_next_character(
    fleet_of: Fleets,
) -> None:
    """A third server drives the chat, and goes on speaking meanwhile."""
    async with fleet_of(3) as fleet:
        drives, dies, stays = fleet.servers
        async with (
            fleet.client(drives) as speaker,
            fleet.client(dies, attempts_max=1) as before,
            fleet.client(stays) as after,
            asyncio.timeout(PATIENCE_SECONDS),
        ):
            chat = await speaker.create_chat(SLOW_SPEECH)
            picture, events = Picture(), before.stream(chat.id)
            await picture.watch(events, has_said(10))
            await dies.kill()
            with pytest.raises(Unreachable):
                # What it sent before it was killed still arrives.
                await picture.watch(events, has_said(SLOW_WORDS))
            shown, resets = picture.said, picture.resets

            events = after.stream(chat.id, picture.cursor)
            await picture.watch(events, has_said(SLOW_WORDS))
            said, seqs, counts = picture.said, picture.seqs, picture.word_counts
            assert said.startswith(shown)
            assert picture.resets == resets
            # The model says one word at a time, and a part has the number of its last word.
            assert seqs == list(accumulate(counts))

            await after.interrupt(chat.id)
            await picture.watch(events, lambda each: each.status == "waiting")
            await events.aclose()
            assert picture.saved == said
            assert (await transcript(speaker, chat.id))[-1] == f"assistant: {said}"


@pytest.mark.timeout(120)
async def test_a_reply_half_said_when_its_server_is_killed_stays_visible_and_a_stop_keeps_it(
    fleet_of: Fleets,
) -> None:
    async with fleet_of(3) as fleet:
        drives, one, other = fleet.clients()
        async with drives, one, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(SHORT)
            watching = [(Picture(), client.stream(chat.id)) for client in (one, other)]
            for picture, events in watching:
                await picture.watch(events, has_said(20))
            half_said = watching[0][0].said
            await fleet.servers[0].kill()

            # For those who come now as for those who were there, wherever they are.
            for client in (one, other):
                assert (await seen(client, chat.id, has_said(20))).said == half_said
            assert [(picture.said, picture.resets) for picture, _ in watching] == [(half_said, 1)] * 2
            await other.interrupt(chat.id)
            for picture, events in watching:
                await picture.watch(events, lambda each: each.status == "waiting")
                await events.aclose()
                assert picture.saved == half_said


@pytest.mark.timeout(120)
async def test_with_the_listening_connections_cut_the_preview_comes_back(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        drives, other = fleet.clients()
        async with drives, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(SPEECH)
            picture, events = Picture(), other.stream(chat.id)
            for count in range(1, 6):
                await picture.watch(events, has_said(count * WORDS // 6))
                await fleet.cut_listeners()
            await picture.watch(events, has_said(WORDS))
            await events.aclose()
            assert picture.said == (await seen(drives, chat.id, has_said(WORDS))).said


@pytest.mark.timeout(120)
async def test_saved_words_leave_the_log(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        drives, other = fleet.clients()
        async with drives, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat("stream 50 words at 100 per second")
            await seen(other, chat.id, lambda each: bool(each.saved) and each.status == "waiting")

            async def is_empty() -> bool:
                return not await fleet.query("SELECT 1 FROM logged_parts")

            await until(is_empty)
