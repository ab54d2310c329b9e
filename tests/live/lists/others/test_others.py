"""Chats of others in a list: whoever follows it has what lists and permits say, on both databases."""

import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

import pytest
from structlog.testing import capture_logs

from chatd.accounts.groups import add_member, create_group, remove_member
from chatd.accounts.sharing.handing_over import Keep, Terms, hand_over
from chatd.accounts.sharing.transfers import Wished, end_offer, offer
from chatd.accounts.users import User, create_user
from chatd.domain.decision.change import Details
from chatd.domain.ids import SECOND, ChatId, UserId
from chatd.domain.people.audit import THE_SERVER, AuditDeed
from chatd.domain.people.grants import GrantRole
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import NotFound, Unavailable
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.hints.memory import Inbox, MemoryBus
from chatd.live.lists.others.others import ENDS_SECONDS, OtherChats
from chatd.live.lists.watch import COMPARE_SECONDS
from chatd.storage.reads.read import read_chat
from chatd.storage.transactions.transact import Store, create_chat, delete_chat, transact
from tests.clock import MovedClock
from tests.live.lists.others.words import (
    Reader,
    admit,
    mark_mute,
    mark_read,
    settle,
    share,
    truth,
    unshare,
)
from tests.support.watched_database import WatchedDatabase
from tests.traceability import proves
from tests.words import create, failure, says, send, step, user

ONE, TWO = ChatId("one"), ChatId("two")


class Neighbours:
    """A server with two people beside the owner: Anna, who is in the team, and Bob."""

    def __init__(self, store: Store, clock: MovedClock, heard: Inbox, team: str) -> None:
        self.store, self.clock, self._heard = store, clock, heard
        self.team = team
        self.others = OtherChats(store, clock)
        # What it does is not told by hints.
        self.silent = Store(store.db, MemoryBus())
        self.readers: list[Reader] = []

    async def reader(self, name: str) -> Reader:
        user = await create_user(self.store.db, name, UserRole.MEMBER)
        return await self.window(user)

    async def window(self, user: User) -> Reader:
        reader = Reader(self.store, self.clock, self.others, user)
        await reader.connect()
        self.readers.append(reader)
        return reader

    async def settle(self) -> int:
        return await settle(self.others, self._heard)

    async def all_have_the_truth(self) -> None:
        await self.settle()
        for reader in self.readers:
            # What hints have named is told first, and then what else differs.
            await reader.told()
            await self.clock.advance(COMPARE_SECONDS)
            await reader.told()
            assert reader.shown == await truth(self.store, reader.user), reader.user.name

    async def join(self, user_id: UserId) -> None:
        await add_member(self.store.db, self.team, user_id)

    async def leave(self, user_id: UserId) -> None:
        with suppress(NotFound):
            await remove_member(self.store.db, self.team, user_id)


@pytest.fixture
async def server(store: Store, clock: MovedClock, bus: MemoryBus) -> AsyncGenerator[Neighbours, None]:
    team = await create_group(store.db, "team")
    for chat_id in (ONE, TWO):
        await create_chat(store, create(user("hello"), chat_id=chat_id))
        await transact(store, chat_id, FailTurn(failure=failure()))
    with bus.listening() as heard:
        server = Neighbours(store, clock, heard, team.id)
        yield server
        for reader in server.readers:
            await reader.leave()


@pytest.fixture
async def anna(server: Neighbours) -> Reader:
    """She is in the team, and follows her list, which is empty."""
    user = await create_user(server.store.db, "anna", UserRole.MEMBER)
    await server.join(user.id)
    return await server.window(user)


async def rename(store: Store, chat_id: ChatId, title: str) -> None:
    await transact(store, chat_id, DescribeChat(details=Details(title=title)))


@pytest.mark.parametrize("whom", ["anna", "the team", "everyone"])
async def test_a_chat_appears_when_it_is_shared_moves_and_vanishes_when_access_ends(
    server: Neighbours, anna: Reader, whom: str
) -> None:
    store = server.store
    subject = {"anna": anna.user.id, "the team": f"group {server.team}"}.get(whom, whom)
    await share(store, ONE, subject)
    await server.settle()
    assert await anna.told() == ["created"]
    chat = anna.events[-1].chat
    assert (chat.id, chat.access, chat.owner.name) == (ONE, "reader", "owner")
    assert not hasattr(chat, "labels")

    await rename(store, ONE, "Better")
    await server.settle()
    assert await anna.told() == ["title_change"]
    await transact(store, ONE, send("go on"))
    await server.settle()
    assert await anna.told() == ["status_change"]
    await transact(store, ONE, step(says("done")))
    await server.settle()
    assert await anna.told() == ["details_change"]
    assert anna.events[-1].chat.has_unread
    await share(store, ONE, subject, GrantRole.WRITER)
    await server.settle()
    assert await anna.told() == ["details_change"]
    assert anna.events[-1].chat.access == "writer"
    assert anna.shown == await truth(store, anna.user)

    await unshare(store, ONE, subject)
    await server.settle()
    assert await anna.told() == ["deleted"]
    await rename(store, ONE, "Private")
    await server.settle()
    assert await anna.told() == []
    assert anna.shown == {} == await truth(store, anna.user)


async def test_what_one_marks_is_told_to_ones_other_windows_and_to_nobody_else(
    server: Neighbours, anna: Reader
) -> None:
    store = server.store
    other_window, bob = await server.window(anna.user), await server.reader("bob")
    for user_id in (anna.user.id, bob.user.id):
        await share(store, ONE, user_id)
    done = await transact(store, ONE, send("go on"), step(says("done")))
    await server.settle()
    for reader in server.readers:
        await reader.told()

    await mark_read(store, anna.user.id, ONE, done.chat.projection.last_id)
    await server.settle()
    assert [await reader.told() for reader in (anna, other_window, bob)] == [
        ["details_change"],
        ["details_change"],
        [],
    ]
    await mark_mute(store, anna.user.id, ONE)
    await server.settle()
    assert [await reader.told() for reader in (anna, other_window, bob)] == [
        ["details_change"],
        ["details_change"],
        [],
    ]
    assert other_window.events[-1].chat.muted
    for reader in server.readers:
        assert reader.shown == await truth(store, reader.user)


async def test_the_owner_who_mutes_their_own_chat_is_told_in_other_windows(
    server: Neighbours, owner: UserId
) -> None:
    mine = await server.window(User(owner, "owner", UserRole.MEMBER))
    await mark_mute(server.store, owner, ONE)

    assert await mine.told() == ["details_change"]
    assert mine.events[-1].chat.muted


async def test_a_step_of_an_agent_wakes_nobody_who_has_not_read_the_one_before(
    server: Neighbours, anna: Reader
) -> None:
    store = server.store
    await share(store, ONE, anna.user.id)
    await transact(store, ONE, send("go on"), step(says("one")))
    await server.settle()
    await anna.told()
    (watcher,) = server.others._known.watchers[anna.user.id]

    for words in ("two", "three"):
        await transact(store, ONE, step(says(words)))
        await server.settle()
        assert not watcher.has_news


async def test_a_grant_that_ends_by_itself_takes_the_chat_along(server: Neighbours, anna: Reader) -> None:
    await share(server.store, ONE, anna.user.id, until=server.clock.now_micros() + 60 * SECOND)
    await server.settle()
    assert await anna.told() == ["created"]

    await server.clock.advance(59)
    assert not server.others._known.note_ended(server.clock.now_micros())  # type: ignore[arg-type]
    await server.clock.advance(ENDS_SECONDS)
    assert server.others._known.note_ended(server.clock.now_micros())  # type: ignore[arg-type]
    await server.settle()
    assert await anna.told() == ["deleted"]


async def test_who_joins_or_leaves_a_group_lists_anew(server: Neighbours, anna: Reader) -> None:
    bob = await server.reader("bob")
    await share(server.store, ONE, f"group {server.team}")
    await server.settle()
    await anna.told()

    await server.join(bob.user.id)
    await server.leave(anna.user.id)
    for user_id in (bob.user.id, anna.user.id):
        server.others._hear_of_users(CatalogChanged(kind=CatalogKind.USER_ACCESS, entity=user_id))
    await server.settle()

    assert [await reader.told() for reader in (anna, bob)] == [["gap"], ["gap"]]
    assert (list(anna.shown), list(bob.shown)) == ([], [ONE])
    await rename(server.store, ONE, "For the team")
    await server.settle()
    assert [await reader.told() for reader in (anna, bob)] == [[], ["status_change"]]
    assert bob.shown == await truth(server.store, bob.user)


async def test_a_chat_that_is_handed_over_moves_from_one_list_to_the_other(
    server: Neighbours, anna: Reader, owner: UserId
) -> None:
    store = server.store
    mine = await server.window(User(owner, "owner", UserRole.MEMBER))
    await share(store, ONE, f"group {server.team}")
    await server.settle()
    for reader in server.readers:
        await reader.told()

    terms = Terms(to=anna.user.id, keep=Keep.READER)
    await hand_over(store, ONE, terms, by=THE_SERVER, deed=AuditDeed.TRANSFER_FORCED)
    await server.all_have_the_truth()
    assert (anna.shown[ONE][2], mine.shown[ONE][2]) == ("owner", "reader")

    terms = Terms(to=owner)
    await hand_over(store, ONE, terms, by=THE_SERVER, deed=AuditDeed.TRANSFER_FORCED)
    await server.all_have_the_truth()
    # She is still in the team.
    assert (anna.shown[ONE][2], mine.shown[ONE][2]) == ("reader", "owner")


async def test_who_is_offered_a_chat_is_told_how_many_there_are(server: Neighbours, anna: Reader) -> None:
    store = server.store
    for chat_id in (ONE, TWO):
        await offer(store, chat_id, THE_SERVER, Wished(anna.user.id, Keep.NOTHING), admit)
    await server.settle()
    assert (await anna.told(), anna.offers) == (["offers_change"], 2)

    await end_offer(store, TWO, THE_SERVER, AuditDeed.TRANSFER_WITHDRAWN, admit)
    await server.settle()
    assert (await anna.told(), anna.offers) == (["offers_change"], 1)
    # Offered to somebody else instead.
    bob = await server.reader("bob")
    await offer(store, ONE, THE_SERVER, Wished(bob.user.id, Keep.NOTHING), admit)
    await server.settle()
    assert [await reader.told() for reader in (anna, bob)] == [["offers_change"], ["offers_change"]]
    assert (anna.offers, bob.offers) == (0, 1)
    await bob.leave()
    # Told anew to who comes back.
    assert await bob.connect() == ["offers_change"]


async def test_without_a_single_hint_a_list_is_true_after_the_next_poll(
    server: Neighbours, anna: Reader
) -> None:
    silent = server.silent
    await share(server.store, TWO, f"group {server.team}")
    await server.settle()
    await anna.told()
    await share(silent, ONE, anna.user.id)
    await rename(silent, TWO, "Better")
    await server.others.poll()
    await server.settle()
    assert sorted(await anna.told()) == ["created", "title_change"]

    await unshare(silent, ONE, anna.user.id)
    await offer(silent, TWO, THE_SERVER, Wished(anna.user.id, Keep.NOTHING), admit)
    await delete_chat(silent, TWO)
    await server.others.poll()
    await server.settle()
    assert await anna.told() == ["deleted", "deleted"]
    assert anna.shown == {} == await truth(server.store, anna.user)


async def test_who_comes_back_to_the_same_list_is_told_nothing_and_else_lists_anew(
    server: Neighbours, anna: Reader
) -> None:
    store = server.store
    await share(store, ONE, anna.user.id)
    await server.settle()
    await anna.told()
    await anna.leave()
    assert await anna.connect() == []

    changes: list[Callable[[], Awaitable[None]]] = [
        partial(rename, store, ONE, "Better"),
        partial(mark_mute, store, anna.user.id, ONE),
        partial(share, store, ONE, anna.user.id, GrantRole.WRITER),
        partial(share, store, TWO, "everyone"),
        partial(unshare, store, ONE, anna.user.id),
    ]
    for change in changes:
        await anna.leave()
        await change()
        assert await anna.connect() == ["gap"]
        assert anna.shown == await truth(store, anna.user)
        await anna.leave()
        assert await anna.connect() == []


async def test_children_temporary_chats_and_those_of_strangers_are_in_no_list(
    server: Neighbours, anna: Reader
) -> None:
    store = server.store
    await share(store, ONE, anna.user.id)
    await server.settle()
    await anna.told()
    await create_chat(store, create(user("look"), chat_id="child", parent=ONE))
    await server.settle()
    assert await anna.told() == ["children_change"]
    assert anna.events[-1].chat.children.at_work == 1
    await rename(store, TWO, "Nothing of hers")
    await create_chat(store, create(chat_id="brief", temporary=True))
    await share(store, ChatId("brief"), anna.user.id)
    await server.settle()
    assert await anna.told() == []
    assert list(anna.shown) == [ONE]


async def test_a_chat_that_cannot_be_read_holds_up_no_other(server: Neighbours, anna: Reader) -> None:
    store = server.store
    for chat_id in (ONE, TWO):
        await share(store, chat_id, anna.user.id)
    await store.db.write(lambda tx: tx.script("UPDATE chats SET projection = 'nonsense' WHERE id = 'one';"))
    with capture_logs() as logs:
        await server.settle()

    assert await anna.told() == ["created"]
    assert anna.events[-1].chat_id == TWO
    assert [line["event"] for line in logs if line["log_level"] == "warning"] == [
        "shared_lists.chat_unreadable"
    ]


@pytest.fixture
async def leaving(
    store: Store, clock: MovedClock, bus: MemoryBus, server: Neighbours
) -> AsyncIterator[tuple[Neighbours, WatchedDatabase]]:
    db = WatchedDatabase(store.db)
    with bus.listening() as heard:
        away = Neighbours(Store(db, bus), clock, heard, server.team)
        yield away, db
        for reader in away.readers:
            await reader.leave()


async def test_what_happens_while_the_database_is_away_is_told_when_it_is_back(
    leaving: tuple[Neighbours, WatchedDatabase], store: Store
) -> None:
    server, db = leaving
    anna = await server.reader("anna")
    db.is_away = True
    await share(store, ONE, anna.user.id)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await server.settle()
    assert await anna.told() == ["list_paused"]

    db.is_away = False
    await server.settle()
    await server.clock.advance(1)
    assert await anna.told() == ["created", "list_paused"]
    assert anna.shown == await truth(store, anna.user)


class AnyOrder:
    """Whatever people do with two chats, told by hints or not."""

    def __init__(self, server: Neighbours, readers: Sequence[Reader]) -> None:
        self._server, self._readers = server, readers
        self._chance = random.Random(11)
        anna, bob, _ = (each.user.id for each in readers)
        self._subjects = [anna, bob, f"group {server.team}", "everyone"]
        self._deeds = (
            self._share,
            self._unshare,
            self._rename,
            self._speak,
            self._mark,
            self._join,
            self._hand_over,
            self._come_back,
        )

    async def do_something(self) -> None:
        teller = self._chance.choice((self._server.store, self._server.silent))
        await self._chance.choice(self._deeds)(teller, self._chance.choice((ONE, TWO)))

    async def tell_somebody(self) -> None:
        await self._chance.choice(self._readers).told()

    async def _share(self, store: Store, chat_id: ChatId) -> None:
        subject = self._chance.choice(self._subjects)
        if subject != await _owner_of(store, chat_id):
            await share(store, chat_id, subject, self._chance.choice(list(GrantRole)))

    async def _unshare(self, store: Store, chat_id: ChatId) -> None:
        # Perhaps it was not shared so.
        with suppress(NotFound):
            await unshare(store, chat_id, self._chance.choice(self._subjects))

    async def _rename(self, store: Store, chat_id: ChatId) -> None:
        await rename(store, chat_id, f"Title {self._chance.random()}")

    async def _speak(self, store: Store, chat_id: ChatId) -> None:
        await transact(store, chat_id, send("go on"), step(says("done")), FinishTurn())

    async def _mark(self, store: Store, chat_id: ChatId) -> None:
        reader = self._chance.choice(self._readers)
        if chat_id in await truth(store, reader.user):
            await mark_read(store, reader.user.id, chat_id, self._chance.choice((0, 2**40)))

    async def _join(self, _: Store, __: ChatId) -> None:
        bob = self._readers[1].user.id
        await self._server.leave(bob)
        if self._chance.random() < 0.5:
            await self._server.join(bob)

    async def _hand_over(self, store: Store, chat_id: ChatId) -> None:
        owner = await _owner_of(store, chat_id)
        to = self._chance.choice([each.user.id for each in self._readers if each.user.id != owner])
        terms = Terms(to=to, keep=self._chance.choice(list(Keep)))
        await hand_over(store, chat_id, terms, by=THE_SERVER, deed=AuditDeed.TRANSFER_FORCED)

    async def _come_back(self, _: Store, __: ChatId) -> None:
        reader = self._chance.choice(self._readers)
        await reader.leave()
        await reader.connect()


@proves("people", 20)
async def test_whatever_is_shared_and_taken_back_in_whatever_order_lists_and_permits_agree(
    server: Neighbours, anna: Reader, owner: UserId
) -> None:
    bob = await server.reader("bob")
    mine = await server.window(User(owner, "owner", UserRole.MEMBER))
    people = AnyOrder(server, (anna, bob, mine))
    for number in range(200):
        await people.do_something()
        if number % 3 == 0:
            await server.settle()
            await people.tell_somebody()
        if number % 10 == 9:
            await server.others.poll()
            await server.all_have_the_truth()


async def _owner_of(store: Store, chat_id: ChatId) -> UserId:
    chat = await read_chat(store.db, chat_id)
    assert chat is not None
    return chat.owner_id
