"""What chats of others cost: a handful of reads for whatever has happened, however many watch."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack

import pytest

from chatd.accounts.groups import create_group
from chatd.domain.decision.change import Details
from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.hints.memory import Inbox, MemoryBus
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.others.known import Known
from chatd.live.lists.others.others import CHATS_AT_ONCE, TOLD_AT_ONCE, OtherChats, WatchedBy
from chatd.live.lists.others.watcher import NEWS_MAX, Watcher
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.live.lists.others.words import settle, share
from tests.support.watched_database import WatchedDatabase
from tests.words import create, failure, says, send, step, user

BUSY = ChatId("busy")
MEMBERS = 1000
# What changes is read, and what those have marked who are told.
READS_OF_A_LOOK = 2


class Crowd:
    """A server on which many follow their lists."""

    def __init__(self, store: Store, clock: MovedClock, heard: Inbox, opened: AsyncExitStack) -> None:
        self.db = WatchedDatabase(store.db)
        self.store = store
        self.others = OtherChats(Store(self.db, store.hints), clock)
        self._heard, self._opened = heard, opened

    async def users(self, count: int, team: str) -> list[UserId]:
        """Members of the team."""
        ids = [UserId(f"member-{number}") for number in range(count)]
        users = ",".join(f"('{each}', '{each}', '{each}', 'member', 0)" for each in ids)
        members = ",".join(f"('{team}', '{each}', 'local', 0)" for each in ids)
        await self.store.db.write(
            lambda tx: tx.script(
                f"INSERT INTO users (id, name, name_key, role, created_at) VALUES {users};"  # noqa: S608
                f"INSERT INTO group_members VALUES {members};"
            )
        )
        return ids

    async def watch(self, users: Sequence[UserId]) -> list[Watcher]:
        who = [WatchedBy(user_id=each) for each in users]
        return [await self._opened.enter_async_context(self.others.watching(each, Bell())) for each in who]

    async def look(self) -> int:
        """How many reads one look takes."""
        before = self.db.reads
        self.others.hear(self._heard.take())
        await self.others.look()
        return self.db.reads - before

    async def settle(self) -> int:
        """How many looks it takes until all are told."""
        return await settle(self.others, self._heard)


@pytest.fixture
async def crowd(store: Store, clock: MovedClock, bus: MemoryBus) -> AsyncGenerator[Crowd, None]:
    await create_chat(store, create(user("hello"), chat_id=BUSY))
    await transact(store, BUSY, FailTurn(failure=failure()))
    with bus.listening() as heard:
        async with AsyncExitStack() as opened:
            yield Crowd(store, clock, heard, opened)


async def test_a_busy_chat_of_a_thousand_members_costs_the_same_reads_as_of_one(crowd: Crowd) -> None:
    team = (await create_group(crowd.store.db, "team")).id
    watchers = await crowd.watch(await crowd.users(MEMBERS, team))
    await share(crowd.store, BUSY, f"group {team}")

    # That it is there is told to so many at once, and the others a moment later.
    assert await crowd.look() <= READS_OF_A_LOOK
    assert sum(each.has_news for each in watchers) == TOLD_AT_ONCE
    await crowd.settle()
    assert all(each.take().rows for each in watchers)
    await transact(crowd.store, BUSY, send("go on"), step(says("one")))
    assert await crowd.look() <= READS_OF_A_LOOK
    await crowd.settle()
    assert all(each.take().rows[0].has_unread for each in watchers)

    # Its agent goes on for a while: nobody is woken, and one read finds out.
    for _ in range(10):
        await transact(crowd.store, BUSY, step(says("more")))
        assert await crowd.look() == 1
    assert not any(each.has_news for each in watchers)


async def test_the_thousandth_member_who_comes_reads_what_is_their_own_and_no_more(crowd: Crowd) -> None:
    team = (await create_group(crowd.store.db, "team")).id
    await share(crowd.store, BUSY, f"group {team}")
    *others, last = await crowd.users(50, team)
    await crowd.watch(others)
    before = crowd.db.reads

    await crowd.watch([last])

    # Their groups and offers, and what was granted to them by name.
    assert crowd.db.reads - before == 2


async def test_a_user_with_many_shared_chats_costs_so_many_of_them_at_once(crowd: Crowd) -> None:
    """When all of them have moved and no hint has told it."""
    member, *_ = await crowd.users(1, (await create_group(crowd.store.db, "team")).id)
    silent = Store(crowd.store.db, MemoryBus())
    chats = [ChatId(f"chat {number}") for number in range(2 * CHATS_AT_ONCE + 1)]
    for chat_id in chats:
        await create_chat(silent, create(user("hello"), chat_id=chat_id))
        await share(silent, chat_id, member)
    (watcher,) = await crowd.watch([member])
    before = crowd.db.reads
    await crowd.others.poll()
    # Groups and offers of all, and what all were granted.
    assert crowd.db.reads - before == 2
    assert not crowd.others.is_behind

    for chat_id in chats:
        await transact(silent, chat_id, DescribeChat(details=Details(title="Better")))
    await crowd.others.poll()
    assert await crowd.look() == READS_OF_A_LOOK
    assert len(watcher.take().rows) == CHATS_AT_ONCE
    assert await crowd.settle() == 2
    assert len(watcher.take().rows) == CHATS_AT_ONCE + 1


async def test_what_is_beyond_what_may_wait_of_one_owner_is_looked_at_again_and_told(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory for what is still to be told does not grow with the chats of one owner."""
    monkeypatch.setattr(crowd.others, "_known", Known(waiting_max=100))
    team = (await create_group(crowd.store.db, "team")).id
    watchers = await crowd.watch(await crowd.users(100, team))
    for number in range(8):
        chat_id = ChatId(f"chat {number}")
        await create_chat(crowd.store, create(user("hello"), chat_id=chat_id))
        await share(crowd.store, chat_id, f"group {team}")

    await crowd.look()
    # One chat for all of them, and no other of that owner.
    assert sum(len(each.take().rows) for each in watchers) == 100
    await crowd.settle()
    assert [len(each.take().rows) for each in watchers] == [7] * 100


async def test_a_watcher_of_whom_too_much_is_to_be_told_lists_anew(crowd: Crowd) -> None:
    watcher = Watcher(UserId("anna"), Bell())
    for number in range(NEWS_MAX + 1):
        watcher.lose(ChatId(f"chat {number}"))

    news = watcher.take()
    assert (news.missed, news.lost, watcher.has_news) == (True, (), False)


async def test_chats_that_are_shared_with_nobody_here_are_looked_at_once_and_own_ones_never(
    crowd: Crowd,
) -> None:
    team = (await create_group(crowd.store.db, "team")).id
    member, stranger = await crowd.users(2, team)
    await crowd.watch([member])
    await transact(crowd.store, BUSY, DescribeChat(details=Details(title="Private")))
    assert await crowd.look() == 0

    await share(crowd.store, BUSY, stranger)
    assert await crowd.look() == 1
    for number in range(5):
        await transact(crowd.store, BUSY, DescribeChat(details=Details(title=f"Theirs {number}")))
        assert await crowd.look() == 0
    # Until it is shared with somebody who is here.
    await share(crowd.store, BUSY, member)
    assert await crowd.look() == READS_OF_A_LOOK
