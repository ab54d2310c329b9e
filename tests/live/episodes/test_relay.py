"""The relay: what another process says is shown here, in the same pieces and with the same numbers."""

import asyncio

import pytest

from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.hints.hint import HintsLost, PartsLogged, chat_changed
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.episode import EpisodeKey
from chatd.live.live import Live
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.live.listening import CHAT, Watcher, say
from tests.words import create, says, step, user


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


async def test_rows_of_a_process_that_died_go_when_the_next_attempt_speaks(
    store: Store, live: Live, other: Live, history: int
) -> None:
    say(other.board, "one", history=history)
    await other.log.flush()

    say(live.board, "two", history=history, attempt=2)
    await live.log.flush()
    rows = await store.db.read(lambda tx: tx.all("logged_episodes"))
    assert [tuple(row) for row in rows] == [(CHAT, history, 2)]
