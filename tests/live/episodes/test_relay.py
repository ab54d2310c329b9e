"""The relay: what another process says is shown here, in the same pieces and with the same numbers."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import cast

import pytest
from msgspec.structs import replace

from chatd.domain.ids import ChatId
from chatd.domain.part import Text
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.hints.hint import BusAway, HintsLost, PartsLogged, chat_changed
from chatd.hints.memory import MemoryBus
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.board import EPISODE_BYTES_MAX
from chatd.live.episodes.episode import EpisodeKey
from chatd.live.episodes.log import said_before
from chatd.live.episodes.relay import RETRY_SECONDS, Relay
from chatd.live.live import Live
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.parts import LoggedBatch, log_parts
from chatd.storage.transactions.transact import Driver, Store, create_chat, transact
from tests.clock import MovedClock
from tests.live.listening import CHAT, Picture, Watcher, say
from tests.words import create, says, step, user

WORDS = ("one", "two", "three", "four", "five")


@pytest.fixture
async def history(store: Store) -> int:
    await create_chat(store, create(user("hello")))
    return (await transact(store, CHAT, BeginAttempt())).chat.versions.history


@pytest.fixture
def other(store: Store, clock: MovedClock) -> Live:
    """Another process on the same database."""
    return Live(store, clock)


def note_logged(live: Live, history: int, seq: int, attempt: int = 1) -> None:
    """What `PartLog` says on the bus, and the relay hears when it runs."""
    live.relay.note(PartsLogged(chat_id=CHAT, history=history, attempt=attempt, seq=seq))


async def test_what_another_process_logs_is_said_here_piece_by_piece(
    store: Store, live: Live, other: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    for words, seq in (("one two", 2), ("three", 3), ("four five six", 6)):
        say(other.board, words, history=history)
        await other.log.flush()
        note_logged(live, history, seq)
        await live.relay.follow()
        await viewer.next()

    assert [event["seq"] for event in viewer.heard if event["type"] == "message_part"] == [1, 2, 3, 4, 5, 6]
    assert viewer.picture.said == "onetwothreefourfivesix"


async def test_the_log_says_on_the_bus_what_it_has(
    store: Store, live: Live, other: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(live.relay.run())
        await asyncio.sleep(0)
        say(other.board, "one two", history=history)
        await other.log.flush()

        assert (await viewer.until(lambda picture: bool(picture.said))).said == "onetwo"
        running.cancel()


async def test_what_was_not_announced_is_found_when_hints_were_lost(
    store: Store, live: Live, other: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    say(other.board, "one two", history=history)
    await other.log.flush()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(live.relay.run())
        await asyncio.sleep(0)
        store.hints.announce(HintsLost())

        assert (await viewer.until(lambda picture: bool(picture.said))).said == "onetwo"
        running.cancel()


async def test_a_newer_attempt_of_another_process_replaces_what_was_said_before(
    store: Store, live: Live, other: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    say(other.board, "one", history=history)
    await other.log.flush()
    await viewer.next()
    assert viewer.picture.said == "one"

    say(other.board, "two", history=history, attempt=2)
    await other.log.flush()
    note_logged(live, history, 1, attempt=2)
    await live.relay.follow()
    await viewer.next()
    assert viewer.picture.said == "two"
    assert live.board.find(EpisodeKey(CHAT, history, 1)) is None


async def test_what_is_not_watched_here_is_not_kept_here(
    store: Store, live: Live, other: Live, history: int
) -> None:
    key = EpisodeKey(CHAT, history, 1)
    say(other.board, "one", history=history)
    await other.log.flush()
    note_logged(live, history, 1)
    await live.relay.follow()
    assert live.board.find(key) is None

    with live.board.following(CHAT, Bell()):
        note_logged(live, history, 1)
        await live.relay.follow()
        assert live.board.find(key) is not None
    assert live.board.find(key) is None


async def test_what_was_said_here_is_not_read_back(store: Store, live: Live, history: int) -> None:
    with live.board.following(CHAT, Bell()):
        mine = say(live.board, "one two", history=history)
        await live.log.flush()
        note_logged(live, history, 2)
        live.relay.look_again()
        await live.relay.follow()

        assert live.board.find(mine.key) is mine
        assert mine.count == 2


async def test_a_mirrored_episode_is_not_logged_again_and_goes_when_its_step_is_saved(
    store: Store, live: Live, other: Live, history: int
) -> None:
    with live.board.following(CHAT, Bell()):
        say(other.board, "one", history=history)
        await other.log.flush()
        note_logged(live, history, 1)
        await live.relay.follow()
        assert live.board.take_unlogged() == []

        await transact(store, CHAT, step(says("one")))
        chat = await read_chat(store.db, CHAT)
        assert chat is not None
        await live.log.flush([chat_changed(chat)])
        assert live.board.find(EpisodeKey(CHAT, history, 1)) is None


async def test_who_comes_while_the_words_of_a_dead_process_are_saved_still_sees_them(
    store: Store, live: Live, other: Live, history: int
) -> None:
    """The successor closes the episode, in which it has said nothing itself; then it reads and commits."""
    say(other.board, "one two", history=history)
    await other.log.flush()
    await transact(store, CHAT, Interrupt())
    key = EpisodeKey(CHAT, history, 1)
    live.board.close(key)

    viewer = Watcher(store, live)
    await viewer.next()

    assert viewer.picture.said == "onetwo"
    episode = live.board.open(key)
    assert (episode.closed, episode.count) == (True, 2)


async def test_rows_of_a_process_that_died_go_when_the_next_attempt_speaks(
    store: Store, live: Live, other: Live, history: int
) -> None:
    say(other.board, "one", history=history)
    await other.log.flush()

    say(live.board, "two", history=history, attempt=2)
    await live.log.flush()
    rows = await store.db.read(lambda tx: tx.all("logged_episodes"))
    assert [tuple(row) for row in rows] == [(CHAT, history, 2)]


@pytest.mark.parametrize("bytes_max", [1, 150, 10_000])
async def test_however_little_is_read_at_once_everything_is_shown_in_the_end(
    store: Store, live: Live, other: Live, clock: MovedClock, history: int, bytes_max: int
) -> None:
    relay = Relay(store, live.board, clock, read_bytes_max=bytes_max)
    viewer = Watcher(store, live)
    await viewer.next()
    for word in WORDS:
        say(other.board, word, history=history)
        await other.log.flush()
    relay.note(PartsLogged(chat_id=CHAT, history=history, attempt=1, seq=len(WORDS)))
    await relay.follow()
    await viewer.next()

    assert viewer.picture.said == "".join(WORDS)


async def test_an_episode_with_a_hole_is_not_read_for_ever(
    store: Store, live: Live, other: Live, clock: MovedClock, history: int
) -> None:
    relay = Relay(store, live.board, clock, read_bytes_max=1)
    say(other.board, "one two", history=history)
    await other.log.flush()
    parts = '[[5,"assistant",0,true,{"type":"text","text":"five"}]]'
    beyond = LoggedBatch(chat_id=CHAT, history=history, attempt=1, first_seq=5, count=1, parts=parts)
    await log_parts(store.db, [beyond], {})
    with live.board.following(CHAT, Bell()):
        relay.note(PartsLogged(chat_id=CHAT, history=history, attempt=1, seq=5))
        await relay.follow()

        mirrored = live.board.find(EpisodeKey(CHAT, history, 1))
        assert mirrored is not None
        assert mirrored.count == 2


async def test_that_a_preview_became_too_long_is_told_here_as_there(
    store: Store, live: Live, other: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    for words in ("short", "long" * EPISODE_BYTES_MAX, "dropped"):
        say(other.board, words, history=history)
    await other.log.flush()
    note_logged(live, history, 2)
    await live.relay.follow()
    assert [event["type"] for event in await viewer.next()] == ["message_part", "gap"]

    # One who comes late, and has the log read for them.
    live.board.forget_mirrors(CHAT)
    late = Watcher(store, Live(store, live.clock))
    assert [event["type"] for event in await late.next()][-2:] == ["message_part", "gap"]
    # What is kept of the reply if its process is gone.
    _, spoken = await said_before(store.db, CHAT, history)
    assert [each.part for each in spoken] == [Text(text="short")]


async def test_what_is_said_elsewhere_is_found_also_when_we_seem_to_be_alone(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    """Another process whose hints have not come for long is forgotten, and may speak all the same."""
    viewer = Watcher(store, live)
    await viewer.next()
    assert store.hints.is_alone
    running = [asyncio.create_task(run()) for run in (live.relay.run, live.relay.run_looks)]
    unheard = Live(replace(store, hints=MemoryBus()), clock)
    say(unheard.board, "one", history=history)
    await unheard.log.flush()

    await with_time(clock, viewer.until(lambda picture: picture.said == "one"))
    for task in running:
        task.cancel()
    await asyncio.wait(running)


class CutBus(MemoryBus):
    """A bus between processes that a test cuts and mends."""

    def __init__(self) -> None:
        super().__init__()
        self._is_away = False

    @property
    def is_away(self) -> bool:
        return self._is_away

    def cut(self) -> None:
        self._is_away = True
        self.announce(BusAway())

    def mend(self) -> None:
        self._is_away = False
        self.announce(HintsLost())


async def with_time(clock: MovedClock, looking: Coroutine[None, None, Picture]) -> Picture:
    """Time goes on while somebody looks."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(looking)
        while not task.done():
            await clock.advance(RETRY_SECONDS)
    return task.result()


class Drives:
    """A worker that drives one chat."""

    def drives(self, chat_id: ChatId) -> bool:
        return chat_id == CHAT


@pytest.fixture
async def cut_bus(store: Store, live: Live, clock: MovedClock) -> AsyncIterator[CutBus]:
    """The bus of a process whose relay runs."""
    bus = CutBus()
    relay = Relay(Store(store.db, bus), live.board, clock, paused_after_seconds=0)
    running = asyncio.create_task(relay.run())
    await asyncio.sleep(0)
    yield bus
    running.cancel()
    await asyncio.wait([running])


async def test_viewers_are_told_that_words_of_others_may_come_late_and_when_that_is_over(
    store: Store, live: Live, other: Live, clock: MovedClock, history: int, cut_bus: CutBus
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    cut_bus.cut()
    await viewer.until(lambda picture: picture.paused)

    # Not announced: found by looking.
    say(other.board, "one two", history=history)
    await other.log.flush()
    assert (await with_time(clock, viewer.until(lambda picture: bool(picture.said)))).paused
    for _ in range(60):
        await clock.advance(RETRY_SECONDS)
    say(other.board, "three", history=history)
    await other.log.flush()
    await with_time(clock, viewer.until(lambda picture: picture.said == "onetwothree"))

    late = Watcher(store, live)
    await late.next()
    assert late.picture.paused

    cut_bus.mend()
    await with_time(clock, viewer.until(lambda picture: not picture.paused))
    assert [event["paused"] for event in viewer.heard if event["type"] == "preview_paused"] == [True, False]


async def test_what_is_said_here_does_not_pause(
    store: Store, live: Live, history: int, cut_bus: CutBus
) -> None:
    here = Watcher(replace(store, driver=cast("Driver", Drives())), live)
    elsewhere = Watcher(store, live)
    for viewer in (here, elsewhere):
        await viewer.next()
    cut_bus.cut()
    await elsewhere.until(lambda picture: picture.paused)

    say(live.board, "one", history=history)
    assert (await here.until(lambda picture: bool(picture.said))).said == "one"
    assert not here.picture.paused


@pytest.fixture
async def looking(live: Live) -> AsyncIterator[None]:
    """The relay of this process runs, and looks at what is not announced."""
    running = [asyncio.create_task(run()) for run in (live.relay.run, live.relay.run_looks_at_silent)]
    yield
    for task in running:
        task.cancel()
    await asyncio.wait(running)


class CutOff:
    """A process that writes to the same database, and is not heard."""

    def __init__(self, store: Store, clock: MovedClock, viewer: Watcher, history: int) -> None:
        self._live = Live(replace(store, hints=MemoryBus()), clock)
        self._clock, self._viewer, self._history = clock, viewer, history

    async def says(self, word: str) -> None:
        """And the viewer finds out."""
        say(self._live.board, word, history=self._history)
        await self._live.log.flush()
        await with_time(self._clock, self._viewer.until(lambda picture: picture.said.endswith(word)))


@pytest.mark.usefixtures("looking")
async def test_viewers_are_told_when_the_process_that_speaks_is_not_heard_and_when_it_is_again(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    viewer = Watcher(store, live)
    cut_off = CutOff(store, clock, viewer, history)
    for word in ("one", "two"):
        await cut_off.says(word)
        assert not viewer.picture.paused
    await cut_off.says("three")
    await viewer.until(lambda picture: picture.paused)

    store.hints.announce(PartsLogged(chat_id=CHAT, history=history, attempt=1, seq=3))
    await viewer.until(lambda picture: not picture.paused)
    assert viewer.picture.said == "onetwothree"


@pytest.mark.usefixtures("looking")
async def test_an_announcement_that_comes_a_moment_after_a_look_pauses_nothing(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    viewer = Watcher(store, live)
    cut_off = CutOff(store, clock, viewer, history)
    for seq, word in enumerate(WORDS, 1):
        await cut_off.says(word)
        store.hints.announce(PartsLogged(chat_id=CHAT, history=history, attempt=1, seq=seq))

    assert not [event for event in viewer.heard if event["type"] == "preview_paused"]


@pytest.mark.usefixtures("looking")
async def test_a_preview_is_not_late_any_more_when_its_step_is_saved(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    viewer = Watcher(store, live)
    cut_off = CutOff(store, clock, viewer, history)
    for word in WORDS:
        await cut_off.says(word)
    await viewer.until(lambda picture: picture.paused)

    await transact(store, CHAT, step(says("".join(WORDS))))
    chat = await read_chat(store.db, CHAT)
    assert chat is not None
    await live.log.flush([chat_changed(chat)])
    await viewer.until(lambda picture: not picture.paused)
