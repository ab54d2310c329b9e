"""Watching a list of chats: whoever follows it, with whatever interruptions, has the list of the database."""

import random
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, UserId
from chatd.domain.profile.texts import TurnLabel
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock, SystemClock
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists import feed as feeds
from chatd.live.lists import watch as watching
from chatd.live.lists.events import Deleted, FeedEvent, Missed, OffersMoved, Paused, WatchEnded
from chatd.live.lists.others.others import OtherChats, WatchedBy
from chatd.live.lists.watch import AWAY_SECONDS, COMPARE_SECONDS, watch_list
from chatd.storage.reads.read import list_chats
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import MovedClock
from tests.support.watched_database import WatchedDatabase
from tests.words import OWNER, approve, asks_first, call, create, failure, says, send, step, told

ONE, TWO, THREE = ChatId("one"), ChatId("two"), ChatId("three")

Looks = dict[str, tuple[str, str, bool]]


async def listing(store: Store) -> Looks:
    """Every chat of the list, in the archive and outside, with what shows of it."""
    pages = [await list_chats(store.db, OWNER, archived=archived, limit=100) for archived in (False, True)]
    return {chat.id: (chat.title, chat.status, chat.archived) for page in pages for chat in page.chats}


class Sidebar:
    """A client that does what the reference says, and nothing else."""

    def __init__(self, store: Store, clock: Clock | None = None) -> None:
        self._store = store
        self._clock = clock or SystemClock()
        self.shown: Looks = {}
        self.events: list[Any] = []
        self.cursor: str | None = None
        self._feed: AsyncGenerator[list[FeedEvent], None] | None = None

    async def connect(self, owner_id: UserId = OWNER) -> list[str]:
        self.bell = Bell()
        cursor = None if self.cursor is None else int(self.cursor)
        who = WatchedBy(user_id=owner_id)
        others = OtherChats(self._store, self._clock)
        feed = watch_list(self._store, self._clock, others, who, cursor=cursor, bell=self.bell)
        self._feed = cast("AsyncGenerator[list[FeedEvent], None]", feed)
        return await self.next()

    async def next(self) -> list[str]:
        """Wait for what is told, and apply it; the types of it."""
        assert self._feed is not None
        events = await anext(self._feed)
        for event in events:
            await self._apply(event)
        return [str(event.__struct_config__.tag) for event in events]

    async def leave(self) -> None:
        if self._feed is not None:
            await self._feed.aclose()

    async def _apply(self, event: FeedEvent) -> None:
        self.cursor = event.cursor
        self.events.append(event)
        match event:
            case Missed():
                self.shown = await listing(self._store)
            case Deleted(chat_id=chat_id):
                self.shown.pop(chat_id, None)
            case WatchEnded() | Paused() | OffersMoved():
                pass
            case _:
                self.shown[event.chat_id] = (event.chat.title, event.chat.status, event.chat.archived)


@pytest.fixture
async def sidebar(store: Store, clock: MovedClock) -> AsyncGenerator[Sidebar, None]:
    """Somebody who follows a list of two chats."""
    for chat_id in (ONE, TWO):
        await create_chat(store, create(chat_id=chat_id))
    sidebar = Sidebar(store, clock)
    await sidebar.connect()
    yield sidebar
    await sidebar.leave()


async def rename(store: Store, chat_id: ChatId, title: str) -> None:
    await transact(store, chat_id, DescribeChat(details=Details(title=title)))


async def test_a_new_watcher_is_asked_to_list_the_chats(store: Store) -> None:
    await create_chat(store, create(chat_id=ONE))
    sidebar = Sidebar(store)

    assert await sidebar.connect() == ["gap"]
    assert sidebar.shown == await listing(store) != {}
    await sidebar.leave()


async def test_a_list_is_told_what_moves(store: Store, sidebar: Sidebar) -> None:
    await rename(store, ONE, "Better")
    assert await sidebar.next() == ["title_change"]
    await transact(store, ONE, FinishTurn())
    assert await sidebar.next() == ["status_change"]
    await transact(store, ONE, Archive())
    assert await sidebar.next() == ["details_change"]
    await create_chat(store, create(chat_id=THREE))
    assert await sidebar.next() == ["created"]
    await delete_chat(store, TWO)
    assert await sidebar.next() == ["deleted"]

    assert sidebar.shown == await listing(store)


async def test_a_list_is_told_when_a_workspace_has_changed_and_when_that_is_over(
    store: Store, sidebar: Sidebar
) -> None:
    pinned = await transact(store, ONE, PinContext(context=told()))
    assert await sidebar.next() == []
    await transact(store, ONE, NoteContext(hash="other", over=pinned.chat.pin_version))
    assert await sidebar.next() == ["context_dirty"]
    await transact(store, ONE, PinContext(context=told("other")))
    assert await sidebar.next() == ["context_dirty"]


async def test_a_list_is_told_what_models_write_about_a_chat(store: Store, sidebar: Sidebar) -> None:
    done = await transact(store, ONE, FinishTurn())
    assert await sidebar.next() == ["status_change"]
    label = TurnLabel(turn=done.chat.projection.turn_start, text="Fixed the tests")
    await transact(store, ONE, LabelTurn(label=label))
    assert await sidebar.next() == ["summary_change"]
    await transact(store, ONE, SummarizeChat(summary="About tests."))
    assert await sidebar.next() == ["chat_summary_change"]
    # The words for how a turn ends come and go with the status, and are no event of their own.
    await transact(store, ONE, send("go on"))
    assert await sidebar.next() == ["status_change"]


async def test_a_list_is_told_what_is_unread_and_what_another_window_has_read(
    store: Store, sidebar: Sidebar
) -> None:
    done = await transact(store, ONE, step(says("done")))
    assert await sidebar.next() == ["details_change"]
    await transact(store, ONE, DescribeChat(details=Details(read_id=done.chat.projection.last_id)))
    assert await sidebar.next() == ["details_change"]
    await transact(store, ONE, FailTurn(failure=failure()))
    assert await sidebar.next() == ["status_change"]

    assert sidebar.events[-1].chat.last_error.message == failure().message
    assert [event.chat.has_unread for event in sidebar.events[-3:]] == [True, False, False]


async def asks(store: Store, chat_id: ChatId) -> None:
    plans = (asks_first("a"),)
    await transact(store, chat_id, step(says("May I?", call("a", "execute")), plans=plans), RequireAction())


async def test_a_list_is_told_what_a_chat_waits_for(store: Store, sidebar: Sidebar) -> None:
    await asks(store, ONE)

    assert await sidebar.next() == ["status_change"]
    (waiting,) = sidebar.events[-1].chat.waiting_for
    assert (waiting.tool_name, waiting.kind, waiting.approval.preview) == ("execute", "approval", None)


async def test_a_list_is_told_of_children_with_their_parent(store: Store, sidebar: Sidebar) -> None:
    await create_chat(store, create(chat_id=THREE, parent=ONE))
    assert await sidebar.next() == ["children_change"]
    await asks(store, THREE)
    assert await sidebar.next() == ["children_change"]

    children = sidebar.events[-1].chat.children
    assert (sidebar.events[-1].chat_id, children.count, children.at_work) == (ONE, 1, 0)
    assert [each.chat_id for each in children.waiting] == [THREE]
    # A step of a child is no news.
    await transact(store, THREE, approve("a"))
    assert await sidebar.next() == ["children_change"]
    await transact(store, THREE, BeginAttempt())
    assert await sidebar.next() == []
    assert sidebar.shown == await listing(store)


async def test_a_watcher_without_hints_finds_out_about_children_too(
    store: Store, clock: MovedClock, sidebar: Sidebar
) -> None:
    deaf = Store(store.db, MemoryBus())
    await create_chat(deaf, create(chat_id=THREE, parent=ONE))
    sidebar.bell.ring()
    assert await sidebar.next() == ["children_change"]
    await asks(deaf, THREE)
    await clock.advance(COMPARE_SECONDS)
    sidebar.bell.ring()
    assert await sidebar.next() == ["children_change"]
    await clock.advance(COMPARE_SECONDS)
    sidebar.bell.ring()
    assert await sidebar.next() == []

    assert [each.chat_id for each in sidebar.events[-1].chat.children.waiting] == [THREE]


async def test_a_list_is_not_told_of_temporary_chats(store: Store, sidebar: Sidebar) -> None:
    await create_chat(store, create(chat_id=THREE, temporary=True))
    assert await sidebar.next() == []
    await transact(store, THREE, FinishTurn())
    assert await sidebar.next() == []
    await delete_chat(store, THREE)
    assert await sidebar.next() == []

    assert sidebar.shown == await listing(store)


async def test_no_watcher_is_told_of_the_chats_of_others(store: Store, sidebar: Sidebar) -> None:
    stranger = Sidebar(store)
    await stranger.connect(UserId("stranger"))

    await rename(store, ONE, "Private")
    stranger.bell.ring()
    assert await stranger.next() == []
    await stranger.leave()


async def test_a_watcher_who_returns_to_the_same_list_is_told_nothing(store: Store, sidebar: Sidebar) -> None:
    await rename(store, ONE, "Better")
    await sidebar.next()
    await sidebar.leave()

    assert await sidebar.connect() == []
    await rename(store, ONE, "Best")
    assert await sidebar.next() == ["title_change"]


async def test_a_chat_that_was_deleted_meanwhile_does_not_stay_in_the_list(
    store: Store, sidebar: Sidebar
) -> None:
    await sidebar.leave()
    await delete_chat(store, ONE)

    assert await sidebar.connect() == ["gap"]
    assert list(sidebar.shown) == [TWO]


async def test_a_deletion_that_a_new_chat_makes_up_for_is_noticed(store: Store, sidebar: Sidebar) -> None:
    await sidebar.leave()
    await delete_chat(store, ONE)
    await create_chat(store, create(chat_id=THREE))
    await sidebar.connect()

    assert set(sidebar.shown) == {TWO, THREE}


async def test_a_cursor_of_an_older_program_means_listing_anew(store: Store, sidebar: Sidebar) -> None:
    await sidebar.leave()
    sidebar.cursor = "1800000000000000"

    assert await sidebar.connect() == ["gap"]


async def test_without_a_single_hint_a_list_is_true_after_the_next_look(
    store: Store, sidebar: Sidebar
) -> None:
    silent = Store(store.db, MemoryBus())
    await rename(silent, ONE, "Better")
    await delete_chat(silent, TWO)
    await create_chat(silent, create(chat_id=THREE))
    sidebar.bell.ring()

    assert sorted(await sidebar.next()) == ["created", "deleted", "title_change"]
    assert sidebar.shown == await listing(store)


async def test_a_list_that_is_too_long_to_compare_is_listed_anew(
    store: Store, sidebar: Sidebar, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sidebar.leave()
    for module in (feeds, watching):
        monkeypatch.setattr(module, "COMPARED_MAX", 1)

    assert await sidebar.connect() == ["gap"]
    await sidebar.leave()
    assert await sidebar.connect() == ["gap"]


@pytest.fixture
async def leaving(store: Store, clock: MovedClock) -> AsyncGenerator[tuple[Sidebar, WatchedDatabase], None]:
    """Somebody who follows a list of two chats, and the database as their server sees it."""
    for chat_id in (ONE, TWO):
        await create_chat(store, create(chat_id=chat_id))
    db = WatchedDatabase(store.db)
    sidebar = Sidebar(Store(db, store.hints), clock)
    await sidebar.connect()
    yield sidebar, db
    await sidebar.leave()


async def test_a_list_stays_while_the_database_is_away_is_told_so_and_misses_nothing(
    store: Store, clock: MovedClock, leaving: tuple[Sidebar, WatchedDatabase]
) -> None:
    """Hints of what is committed elsewhere may arrive meanwhile; what they are about cannot be read."""
    sidebar, db = leaving
    db.is_away = True
    await rename(store, ONE, "Better")
    assert await sidebar.next() == ["list_paused"]
    assert sidebar.events[-1].paused
    # Told once, however often it is looked.
    await clock.advance(AWAY_SECONDS)
    await delete_chat(store, TWO)
    assert await sidebar.next() == []
    db.is_away = False
    # Not before it is time.
    sidebar.bell.ring()
    assert await sidebar.next() == []
    await clock.advance(AWAY_SECONDS)
    sidebar.bell.ring()

    assert await sidebar.next() == ["deleted", "title_change", "list_paused"]
    assert not sidebar.events[-1].paused
    assert sidebar.shown == await listing(store)
    await rename(store, ONE, "Best")
    assert await sidebar.next() == ["title_change"]


async def test_a_list_is_compared_every_few_seconds_however_often_its_watcher_is_woken(
    store: Store, clock: MovedClock, leaving: tuple[Sidebar, WatchedDatabase]
) -> None:
    """To compare takes a look at every chat; a user may have thousands, and many streams."""
    sidebar, db = leaving
    sidebar.bell.ring()
    await sidebar.next()
    before = db.reads
    await rename(Store(store.db, MemoryBus()), ONE, "Better")
    for _ in range(20):
        sidebar.bell.ring()
        assert await sidebar.next() == []
    assert db.reads == before

    # What hints name does not wait.
    await rename(store, TWO, "Other")
    assert await sidebar.next() == ["title_change"]
    await clock.advance(COMPARE_SECONDS)
    sidebar.bell.ring()
    assert await sidebar.next() == ["title_change"]


async def test_a_list_that_is_too_long_to_compare_is_listed_anew_after_an_outage(
    store: Store,
    clock: MovedClock,
    leaving: tuple[Sidebar, WatchedDatabase],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sidebar, db = leaving
    await sidebar.leave()
    for module in (feeds, watching):
        monkeypatch.setattr(module, "COMPARED_MAX", 1)
    await sidebar.connect()

    db.is_away = True
    await rename(store, ONE, "Better")
    assert await sidebar.next() == ["list_paused"]
    db.is_away = False
    await clock.advance(AWAY_SECONDS)
    sidebar.bell.ring()

    assert await sidebar.next() == ["gap", "list_paused"]


async def test_whatever_happens_in_whatever_order_the_list_is_that_of_the_database(
    store: Store, sidebar: Sidebar
) -> None:
    chance = random.Random(7)
    silent = Store(store.db, MemoryBus())
    for number in range(80):
        teller = chance.choice((store, silent))
        there = [ChatId(chat_id) for chat_id in await listing(store)]
        match chance.choice(("create", "delete", "rename", "leave", "return")):
            case "create":
                await create_chat(teller, create(chat_id=ChatId(f"new {number}")))
            case "delete" if there:
                await delete_chat(teller, chance.choice(there))
            case "rename" if there:
                await rename(teller, chance.choice(there), f"Title {number}")
            case "leave":
                await sidebar.leave()
                sidebar.cursor = chance.choice((sidebar.cursor, None))
            case _:
                await sidebar.leave()
                await sidebar.connect()
                assert sidebar.shown == await listing(store)
