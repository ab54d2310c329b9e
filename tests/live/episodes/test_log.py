"""The part log: what was said survives a crash, until it is saved or said anew."""

import asyncio

import pytest

from chatd.domain.ids import CallId, ChatId
from chatd.domain.message import Role
from chatd.domain.part import Text, ToolCall, ToolResult
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.hints.hint import ChatDeleted, chat_changed
from chatd.kit.concurrency.bell import Bell
from chatd.live.episodes.episode import EpisodeKey, LivePart, Spoken, ToolCallPiece, ToolResultPiece
from chatd.live.episodes.log import said_before
from chatd.live.episodes.relay import recall
from chatd.live.live import Live
from chatd.storage.database import Body, Pace, T
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.parts import Place, read_logged, read_logged_since
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import MovedClock
from tests.live.listening import CHAT, Watcher, say
from tests.words import OWNER, create, says, step, user


@pytest.fixture
async def history(store: Store) -> int:
    await create_chat(store, create(user("hello")))
    return (await transact(store, CHAT, BeginAttempt())).chat.versions.history


async def words_before(store: Store, history: int) -> tuple[int, str]:
    attempt, parts = await said_before(store.db, CHAT, history)
    return attempt, "".join(spoken.part.text for spoken in parts if isinstance(spoken.part, Text))


async def since(store: Store, place: Place) -> list[tuple[ChatId, str]]:
    return (await read_logged_since(store.db, [place], bytes_max=1_000_000)).batches


async def test_what_was_said_can_be_read_after_a_crash(store: Store, live: Live, history: int) -> None:
    say(live.board, "one two", history=history)
    await live.log.flush()
    say(live.board, "three", history=history)
    await live.log.flush()

    assert await said_before(store.db, CHAT, history) == (
        1,
        (
            Spoken(2, Role.ASSISTANT, Text(text="onetwo"), (3, 3)),
            Spoken(3, Role.ASSISTANT, Text(text="three")),
        ),
    )
    assert await said_before(store.db, CHAT, history + 1) == (0, ())
    assert len(await since(store, Place(CHAT, history, 1, 2))) == 1


async def test_every_kind_of_part_comes_back_as_it_was(store: Store, live: Live, history: int) -> None:
    call = CallId("c \ud800 \0")
    parts: list[LivePart] = [
        Text(text="odd \ud800 \0"),
        ToolCallPiece(tool_call_id=call, tool_name="t", args_delta='{"a'),
        ToolCall(tool_call_id=call, tool_name="t", args={"a": [1, None]}),
        ToolResultPiece(tool_call_id=call, tool_name="t", result_delta="x", result_reset=True),
        ToolResult(tool_call_id=call, tool_name="t", result="x", is_error=True),
    ]
    episode = live.board.open(EpisodeKey(CHAT, history, 1))
    for part in parts:
        episode.add(Role.ASSISTANT, part)
    await live.log.flush()

    _, found = await said_before(store.db, CHAT, history)
    assert found == episode.spoken


async def test_many_episodes_are_written_in_one_transaction(store: Store, live: Live, history: int) -> None:
    await create_chat(store, create(chat_id="other"))
    writes = Counted(store, live)
    say(live.board, "one", history=history)
    other = live.board.open(EpisodeKey(create(chat_id="other").id, 1, 1))
    other.add(Role.ASSISTANT, Text(text="two"))
    await live.log.flush()
    await live.log.flush()

    assert writes.count == 1
    assert (await read_logged(store.db, other.key.chat_id, 1))[0] == 1


class Counted:
    """Counts the transactions that write."""

    def __init__(self, store: Store, live: Live) -> None:
        self.count = 0
        self.engine = store.db.engine
        self._db = store.db
        live.log._store = Store(self, store.hints)

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.count += 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


async def test_a_saved_step_takes_its_parts_out_of_the_log(store: Store, live: Live, history: int) -> None:
    say(live.board, "one", history=history)
    await live.log.flush()
    done = await transact(store, CHAT, step(says("one")))
    await live.log.flush([chat_changed(done.chat)])

    assert await words_before(store, history) == (0, "")


async def test_what_is_saved_before_the_tick_never_touches_the_log(
    store: Store, live: Live, history: int
) -> None:
    writes = Counted(store, live)
    say(live.board, "one", history=history)
    done = await transact(store, CHAT, step(says("one")))
    await live.log.flush([chat_changed(done.chat)])

    assert writes.count == 0


async def test_a_newer_attempt_that_speaks_replaces_what_was_said(
    store: Store, live: Live, history: int
) -> None:
    say(live.board, "one", history=history)
    await live.log.flush()
    live.board.open(EpisodeKey(CHAT, history, 2))
    await live.log.flush()
    assert await words_before(store, history) == (1, "one")

    say(live.board, "two", history=history, attempt=2)
    await live.log.flush()
    assert await words_before(store, history) == (2, "two")
    assert await since(store, Place(CHAT, history, 1, 0)) == []


async def test_a_deleted_chat_leaves_nothing_in_the_log(store: Store, live: Live, history: int) -> None:
    say(live.board, "one", history=history)
    await live.log.flush()
    await delete_chat(store, CHAT)
    assert await words_before(store, history) == (0, "")

    # A late batch is not written either.
    say(live.board, "two", history=history)
    await live.log.flush([ChatDeleted(chat_id=CHAT, owner_id=OWNER)])
    assert await words_before(store, history) == (0, "")


async def test_a_database_that_fails_costs_a_tick_and_nothing_else(
    store: Store, live: Live, history: int
) -> None:
    say(live.board, "one", history=history)
    failing = Failing(store, live)
    with pytest.raises(OSError, match="disk"):
        await live.log.flush()
    failing.works = True
    say(live.board, "two", history=history)
    await live.log.flush()

    assert await words_before(store, history) == (1, "onetwo")


class Failing(Counted):
    works = False

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self.works:
            self.count += 1
            raise OSError("the disk is gone")
        return await self._db.write(body, pace=pace)


class Gated:
    """A database whose next write waits until it is let go."""

    def __init__(self, store: Store) -> None:
        self.engine = store.db.engine
        self._db = store.db
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.asked.set()
        await self.go.wait()
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


async def test_a_worker_that_hands_over_waits_for_the_flush_that_is_under_way(
    store: Store, clock: MovedClock, history: int
) -> None:
    gated = Gated(store)
    live = Live(Store(gated, store.hints), clock)
    say(live.board, "one", history=history)

    async with asyncio.TaskGroup() as group:
        group.create_task(live.log.flush())
        await gated.asked.wait()
        before_hand_over = group.create_task(live.log.flush())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not before_hand_over.done()
        gated.go.set()
        await before_hand_over
        assert await words_before(store, history) == (1, "one")


async def test_a_database_that_fails_at_the_start_does_not_end_the_server(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    failing = Failing(store, live)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(live.log.run())
        while failing.count < 2:
            await clock.advance(0.5)
            await asyncio.sleep(0)
        failing.works = True
        say(live.board, "one", history=history)
        while await words_before(store, history) != (1, "one"):
            await clock.advance(0.5)
            await asyncio.sleep(0)
        task.cancel()


async def test_it_writes_once_a_second(store: Store, live: Live, clock: MovedClock, history: int) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(live.log.run())
        say(live.board, "one two", history=history)
        while await words_before(store, history) != (1, "onetwo"):
            await clock.advance(0.5)
            await asyncio.sleep(0)
        task.cancel()


async def test_nobody_is_woken_while_nothing_is_said(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    sleeps: list[float] = []

    class Watched(MovedClock):
        async def sleep(self, seconds: float) -> None:
            sleeps.append(seconds)
            await clock.sleep(seconds)

    live.log._clock = Watched()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(live.log.run())
        say(live.board, "one", history=history)
        while await words_before(store, history) != (1, "one"):
            await clock.advance(0.5)
            await asyncio.sleep(0)
        for _ in range(20):
            await clock.advance(1)
        assert sleeps == [1.0]
        task.cancel()


async def test_a_start_removes_what_was_saved_meanwhile(store: Store, live: Live, clock: MovedClock) -> None:
    await create_chat(store, create(user("hello")))
    done = await transact(store, CHAT, BeginAttempt())
    history = done.chat.versions.history
    say(live.board, "one", history=history)
    await live.log.flush()
    await transact(store, CHAT, step(says("one")))

    async with asyncio.TaskGroup() as group:
        task = group.create_task(Live(store, clock).log.run())
        while await words_before(store, history) != (0, ""):
            await clock.advance(0)
            await asyncio.sleep(0)
        task.cancel()


async def test_a_restarted_server_shows_what_was_said_until_the_next_attempt_speaks(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    say(live.board, "half a sen", history=history)
    await live.log.flush()

    restarted = Live(store, clock)
    viewer = Watcher(store, restarted)
    await viewer.next()
    assert viewer.picture.said == "halfasen"

    await transact(store, CHAT, BeginAttempt())
    assert await viewer.next() == []
    late = Watcher(store, restarted)
    await late.next()
    assert late.picture.said == "halfasen"

    say(restarted.board, "a whole", history=history, attempt=2)
    for each in (viewer, late):
        events = await each.next()
        assert [event["type"] for event in events] == ["preview_reset", "message_part", "message_part"]
        assert each.picture.preview == ["a", "whole"]


async def test_what_another_process_said_since_is_shown_instead_of_what_we_said(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    say(live.board, "ours", history=history).close()
    await viewer.next()

    await transact(store, CHAT, BeginAttempt())
    other = Live(store, clock)
    say(other.board, "and theirs", history=history, attempt=2)
    await other.log.flush()
    late = Watcher(store, live)
    await late.next()
    assert late.picture.said == "andtheirs"

    # They died, and somebody begins anew: whoever watched us all the time is told of it, too.
    await viewer.next()
    await transact(store, CHAT, BeginAttempt())
    await viewer.next()
    assert viewer.picture.said == "andtheirs"


async def test_a_viewer_who_saw_it_before_the_crash_sees_nothing_twice(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    say(live.board, "half a", history=history)
    before = Watcher(store, live)
    await before.next()
    await live.log.flush()

    after = Watcher(store, Live(store, clock), before.picture.cursor)
    assert await after.next() == []
    chat = await read_chat(store.db, CHAT)
    assert chat is not None


async def test_a_viewer_who_saw_some_of_a_segment_before_the_crash_is_told_the_rest(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    say(live.board, "half a", history=history)
    before = Watcher(store, live)
    await before.next()
    say(live.board, "sen tence", history=history)
    await live.log.flush()

    after = Watcher(store, Live(store, clock), before.picture.cursor)
    assert "".join(event["part"]["text"] for event in await after.next()) == "sentence"


async def test_everything_that_is_shown_is_logged_also_of_a_long_reply(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    words = [f"{number}," for number in range(30_000)]
    say(live.board, " ".join(words), history=history)
    await live.log.flush()

    assert await words_before(store, history) == (1, "".join(words))
    late = Watcher(store, Live(store, clock))
    await late.next()
    assert late.picture.said == "".join(words)


async def test_an_episode_whose_log_was_lost_is_written_from_its_beginning(
    store: Store, live: Live, clock: MovedClock, history: int
) -> None:
    """PostgreSQL empties an unlogged table when it recovers from a crash."""
    say(live.board, "one two", history=history)
    await live.log.flush()
    await store.db.write(lambda tx: tx.run("delete_parts_of_chat", CHAT))
    say(live.board, "three", history=history)
    await live.log.flush()

    assert await words_before(store, history) == (1, "onetwothree")
    say(live.board, "four", history=history)
    await live.log.flush()
    assert await words_before(store, history) == (1, "onetwothreefour")
    late = Watcher(store, Live(store, clock))
    await late.next()
    assert late.picture.said == "onetwothreefour"


async def test_a_log_that_begins_in_the_middle_is_read_but_not_shown(
    store: Store, live: Live, history: int
) -> None:
    for word in ("one", "two"):
        say(live.board, word, history=history)
        await live.log.flush()
    await store.db.write(lambda tx: tx.script("DELETE FROM logged_parts WHERE first_seq = 1;"))

    assert await words_before(store, history) == (1, "two")
    other = Live(store, live.clock)
    with other.board.following(CHAT, Bell()):
        await recall(store.db, other.board, CHAT, history)
        assert other.board.newest_spoken(CHAT, history) is None
