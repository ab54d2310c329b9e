"""Watching a chat: the database and the board, merged, for whoever looks."""

import pytest
from msgspec.structs import replace

from chatd.accounts.users import create_user
from chatd.api.chats.streams.frames import text_frames
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import Source
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import NotFound, Unavailable
from chatd.hints.hint import chat_changed
from chatd.hints.memory import MemoryBus
from chatd.kit.codec import encode
from chatd.live.episodes.episode import EpisodeKey
from chatd.live.live import Live
from chatd.live.watch import AWAY_SECONDS, READ_ATTEMPTS_MAX
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.load import lock
from chatd.storage.transactions.recent import CHANGE_BYTES_MAX, Recent
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import HurriedClock, MovedClock
from tests.live.listening import CHAT, Watcher, say, types
from tests.traceability import proves
from tests.words import approve, asks_first, call, create, said, says, send, step, user


@pytest.fixture
async def history(store: Store) -> int:
    """A chat in which the agent is about to speak; the version of its history."""
    await create_chat(store, create(user("hello")))
    done = await transact(store, CHAT, BeginAttempt())
    return done.chat.versions.history


async def test_a_viewer_sees_what_is_there_and_then_what_is_said(
    store: Store, live: Live, history: int
) -> None:
    viewer = Watcher(store, live)

    assert types(await viewer.next()) == ["chat", "message", "status", "preview_reset"]
    say(live.board, "one two", history=history)
    assert types(await viewer.next()) == ["message_part", "message_part"]
    assert viewer.picture.preview == ["one", "two"]
    await transact(store, CHAT, step(says("one two")))
    assert types(await viewer.next()) == ["message", "preview_reset"]


async def test_who_begins_to_write_is_named_before_their_first_message_and_once(
    store: Store, live: Live, history: int
) -> None:
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    by_anna = SendMessage(message=replace(user("me too"), created_by=anna.id), when=When.QUEUE)
    viewer = Watcher(store, live)
    await viewer.next()

    told = []
    for _ in range(2):
        await transact(store, CHAT, step(says("hi")), FinishTurn(), by_anna)
        told.append(types(await viewer.next()))

    assert told == [
        ["participants", "message", "message", "preview_reset"],
        ["message", "message", "preview_reset"],
    ]
    assert viewer.picture.names[anna.id] == "anna"
    back = Watcher(store, live, cursor=viewer.heard[0]["cursor"])
    assert types(await back.next())[0] == "participants"


async def a_waiting_child(store: Store) -> None:
    """It works for the chat, and asks whether it may go on."""
    await create_chat(store, create(chat_id="child", parent=CHAT))
    asks = step(says("May I?", call("a", "execute")), plans=(asks_first("a"),))
    await transact(store, ChatId("child"), asks, RequireAction())


async def test_a_viewer_of_a_chat_is_told_what_those_that_work_for_it_wait_for(
    store: Store, live: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    await a_waiting_child(store)

    picture = await viewer.until(lambda picture: picture.children and picture.children["waiting"])
    assert (picture.children["count"], picture.children["at_work"]) == (1, 0)
    (waiting,) = picture.children["waiting"]
    assert (waiting["chat_id"], waiting["title"]) == ("child", "")
    assert [(each["tool_name"], each["kind"]) for each in waiting["waiting_for"]] == [("execute", "approval")]

    late = Watcher(store, live, cursor=picture.cursor)
    assert types(await late.next()) == ["children"]
    await transact(store, ChatId("child"), approve("a"))
    gone = await viewer.until(lambda picture: not picture.children["waiting"])
    assert gone.children == {"count": 1, "at_work": 1, "waiting": []}


async def test_a_viewer_who_was_not_told_of_a_child_finds_out_by_looking(
    store: Store, live: Live, history: int
) -> None:
    """As when another server drives the child."""
    await create_chat(store, create(chat_id="child", parent=CHAT))
    viewer = Watcher(store, live)
    await viewer.next()
    deaf = Store(store.db, MemoryBus())
    asks = step(says("May I?", call("a", "execute")), plans=(asks_first("a"),))
    await transact(deaf, ChatId("child"), asks, RequireAction())

    await live.poller.poll()

    assert types(await viewer.next()) == ["children"]
    assert len(viewer.picture.children["waiting"]) == 1


async def test_a_message_names_the_episode_in_which_viewers_heard_it(
    store: Store, live: Live, history: int
) -> None:
    viewer, late = Watcher(store, live), Watcher(store, live)
    await viewer.next()
    say(live.board, "one", history=history)
    (part,) = await viewer.next()
    await transact(store, CHAT, step(says("one")))

    await viewer.next()
    await late.next()

    reply = viewer.picture.messages[2]
    assert late.picture.messages[2] == reply
    for name in ("history_version", "generation_attempt"):
        assert reply[name] == part[name]


class Counted:
    """A database that counts how often it is read."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.reads = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.reads += 1
        return await self._db.read(body, pace=pace)


@pytest.fixture
async def watched(store: Store, live: Live, history: int) -> tuple[Counted, Store, Watcher]:
    """A viewer who has seen what is there, in the process that commits what follows."""
    db = Counted(store.db)
    here = Store(db, store.hints, recent=Recent())
    viewer = Watcher(here, live)
    await viewer.next()
    db.reads = 0
    return db, here, viewer


async def test_a_chat_that_is_created_again_hides_no_commit_whose_answer_is_still_on_its_way(
    watched: tuple[Counted, Store, Watcher],
) -> None:
    _, here, viewer = watched
    # Committed, and the task of this process that asked for it does not know yet.
    await transact(Store(here.db, MemoryBus()), CHAT, step(says("one")))

    await create_chat(here, create(user("hello")), before=lambda tx: lock(tx, CHAT))

    assert "message" in types(await viewer.next())


async def test_a_viewer_is_told_what_its_own_process_commits_without_a_read(
    live: Live, watched: tuple[Counted, Store, Watcher]
) -> None:
    db, here, viewer = watched
    await transact(here, CHAT, step(says("one")), FinishTurn())
    assert types(await viewer.next()) == ["message", "status", "preview_reset"]
    await transact(here, CHAT, send("two"))
    await transact(here, CHAT, send("three"))

    assert types(await viewer.next()) == ["message", "queue_update", "status", "preview_reset"]
    assert db.reads == 0
    # Exactly what a viewer sees who reads it.
    other = Watcher(Store(here.db, here.hints), live)
    await other.next()
    assert vars(viewer.picture) == vars(other.picture)


async def test_a_viewer_reads_what_another_process_has_committed_in_between(
    store: Store, watched: tuple[Counted, Store, Watcher]
) -> None:
    db, here, viewer = watched
    await transact(here, CHAT, step(says("one")))
    # The same database, and another process: its viewers are told by a hint.
    await transact(store, CHAT, step(says("two")))
    await transact(here, CHAT, step(says("three")))

    assert types(await viewer.next()) == ["message", "message", "message", "preview_reset"]
    assert db.reads > 0


async def test_a_viewer_reads_what_rewrites_the_history_or_is_long(
    watched: tuple[Counted, Store, Watcher],
) -> None:
    db, here, viewer = watched
    await transact(here, CHAT, step(says("word " * CHANGE_BYTES_MAX)))
    assert types(await viewer.next()) == ["message", "preview_reset"]
    assert db.reads > 0
    db.reads = 0
    await transact(here, CHAT, EditMessage(message_id=MessageId(1), content=said("anew")))

    assert "message_deleted" in types(await viewer.next())
    assert db.reads > 0


async def test_of_a_long_queue_and_of_open_calls_nothing_is_kept_for_viewers(
    watched: tuple[Counted, Store, Watcher],
) -> None:
    """A queue may have megabytes, and so may the arguments of calls; every transaction reads them anew."""
    db, here, viewer = watched
    await transact(here, CHAT, step(says("Look.", call("a", args="word " * CHANGE_BYTES_MAX))))
    await transact(here, CHAT, DescribeChat(details=Details(title="Calls")))
    await viewer.next()
    assert recent_bytes(here) < CHANGE_BYTES_MAX

    db.reads = 0
    await transact(here, CHAT, send("word " * CHANGE_BYTES_MAX))
    await transact(here, CHAT, DescribeChat(details=Details(title="Queue")))
    assert types(await viewer.next()) == ["chat", "queue_update"]
    assert db.reads > 0
    assert recent_bytes(here) < CHANGE_BYTES_MAX


def recent_bytes(store: Store) -> int:
    assert store.recent is not None
    return sum(len(encode(change)) for change in store.recent._watched[CHAT].changes)


async def test_there_is_nothing_to_watch_in_a_chat_that_does_not_exist(store: Store, live: Live) -> None:
    with pytest.raises(NotFound):
        await Watcher(store, live).next()


async def test_a_deleted_chat_ends_its_streams(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    await delete_chat(store, CHAT)

    assert types(await viewer.next()) == ["chat_deleted"]
    with pytest.raises(StopAsyncIteration):
        await viewer.next()


@proves("streaming", 43)
async def test_viewers_who_join_at_different_times_see_the_same(
    store: Store, live: Live, history: int
) -> None:
    early = Watcher(store, live)
    await early.next()
    say(live.board, "one two", history=history)
    await early.next()
    late = Watcher(store, live)
    await late.next()
    say(live.board, "three", history=history)
    await early.next()
    await late.next()

    assert early.picture.preview == late.picture.preview == ["one", "two", "three"]


async def test_a_new_title_is_told(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    await transact(store, CHAT, DescribeChat(details=Details(title="Better")))

    (event,) = await viewer.next()
    assert (event["type"], event["chat"]["title"]) == ("chat", "Better")


class Deaf(MemoryBus):
    """A bus that loses everything."""

    def publish(self, hint: object) -> None:
        pass


@proves("streaming", 30, 32)
async def test_lost_hints_are_made_up_for_by_polling(database: Database, live: Live) -> None:
    store = Store(database, Deaf())
    live = Live(store, live.clock)
    await create_chat(store, create(user("hello")))
    one, other = Watcher(store, live), Watcher(store, live)
    await one.next()
    await other.next()
    await transact(store, CHAT, send("later"))

    await live.poller.poll()
    assert types(await one.next()) == types(await other.next()) == ["queue_update"]

    await one.leave()
    await transact(store, CHAT, step(says("hi")))
    await live.poller.poll()
    assert "message" in types(await other.next())

    await delete_chat(store, CHAT)
    await live.poller.poll()
    assert types(await other.next()) == ["chat_deleted"]
    await other.leave()
    assert store.hints.watched_chats() == []


class Failing:
    """A database that cannot be read for a while."""

    def __init__(self, database: Database, error: Exception | None = None) -> None:
        self.engine = database.engine
        self.failures = 0
        # Reads that succeed before the first one that fails.
        self.before = 0
        self._error = error or OSError("the disk is busy")
        self._database = database

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._database.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if self.before:
            self.before -= 1
        elif self.failures:
            self.failures -= 1
            raise self._error
        return await self._database.read(body, pace=pace)


@proves("streaming", 31)
async def test_a_stream_survives_some_failed_reads(database: Database, bus: MemoryBus) -> None:
    failing, clock = Failing(database), HurriedClock()
    store = Store(failing, bus)
    await create_chat(store, create(user("hello")))
    viewer = Watcher(store, Live(store, clock))
    await viewer.next()
    await transact(store, CHAT, send("later"))

    failing.failures = READ_ATTEMPTS_MAX - 1
    assert types(await viewer.next()) == ["queue_update"]
    assert clock.slept == [0.1, 0.2, 0.4, 0.8]

    await transact(store, CHAT, send("last"))
    failing.failures = READ_ATTEMPTS_MAX
    with pytest.raises(OSError, match="busy"):
        await viewer.next()


@pytest.mark.parametrize("before", range(2))
async def test_a_stream_goes_on_while_the_database_is_away_and_loses_nothing(
    database: Database, bus: MemoryBus, clock: MovedClock, before: int
) -> None:
    """Also when it goes away between two reads of one look."""
    failing = Failing(database, Unavailable("the database restarts"))
    store = Store(failing, bus)
    live = Live(store, clock)
    await create_chat(store, create(user("hello")))
    viewer = Watcher(store, live)
    await viewer.next()
    history = (await transact(store, CHAT, BeginAttempt())).chat.versions.history

    failing.before, failing.failures = before, 2
    await viewer.next()
    episode = say(live.board, "one two", history=history, attempt=1)
    await viewer.next()
    failing.before = 0
    await clock.advance(AWAY_SECONDS)
    viewer.bell.ring()
    await viewer.next()
    failing.failures = 0
    await clock.advance(AWAY_SECONDS)
    viewer.bell.ring()
    await viewer.next()
    assert viewer.picture.said == "onetwo"

    episode.close()
    await transact(store, CHAT, step(says("one two")))
    await viewer.next()
    assert [each["role"] for _, each in sorted(viewer.picture.messages.items())] == ["user", "assistant"]
    assert viewer.picture.said == ""


@proves("streaming", 35)
async def test_a_viewer_who_leaves_is_forgotten(
    store: Store, live: Live, bus: MemoryBus, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    await viewer.leave()

    assert bus.watched_chats() == []
    assert live.board._bells == {}


@proves("streaming", 44)
async def test_what_is_pending_comes_in_frames_of_256(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    episode = live.board.open(EpisodeKey(CHAT, history, 1))
    for number in range(600):
        episode.add(Role.ASSISTANT, Source(source_id=str(number), url="https://example.org"))
    batch = await anext(viewer._batches)

    assert [frame.count('"cursor":') for frame in text_frames(batch)] == [256, 256, 88]


@proves("streaming", 45)
async def test_a_viewer_who_looks_away_misses_nothing_and_holds_up_no_other(
    store: Store, live: Live, history: int
) -> None:
    slow, quick = Watcher(store, live), Watcher(store, live)
    await slow.next()
    await quick.next()
    for number in range(100):
        say(live.board, f"word{number}", history=history)
        await quick.next()
    await transact(store, CHAT, send("later"))
    await quick.next()

    assert types(await slow.next()) == ["queue_update", *["message_part"] * 100]
    assert slow.picture.preview == quick.picture.preview


async def test_an_overflowed_episode_is_an_explicit_gap(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    say(live.board, " ".join(["x" * 100_000] * 12), history=history)
    events = await viewer.next()

    assert types(events) == ["message_part"] * 10 + ["gap"]
    back = Watcher(store, live, events[-2]["cursor"])
    assert types(await back.next()) == ["gap"]
    done = Watcher(store, live, events[-1]["cursor"])
    assert await done.next() == []


async def test_a_doubled_or_old_hint_costs_no_read(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    chat = await read_chat(store.db, CHAT)
    assert chat is not None
    store.hints.publish(chat_changed(chat))

    assert await viewer.next() == []


async def test_a_viewer_is_not_woken_for_other_chats(store: Store, live: Live, history: int) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    await create_chat(store, create(chat_id="other"))

    assert not viewer.bell._rung


async def test_a_database_of_an_older_day_is_told_from_the_start(
    store: Store, live: Live, history: int
) -> None:
    viewer = Watcher(store, live)
    await viewer.next()
    for _ in range(5):
        await transact(store, CHAT, send("more"))
    await transact(store, CHAT, step(says("hi")))
    await viewer.next()
    await delete_chat(store, CHAT)
    await create_chat(store, create(user("restored")))

    back = Watcher(store, live, viewer.picture.cursor)
    events = await back.next()
    assert types(events) == ["gap", "chat", "message", "status", "preview_reset"]
