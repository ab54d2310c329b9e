"""Periodic work: each piece by itself, and by one of several servers."""

import asyncio
from collections import Counter

from msgspec.structs import replace

from chatd.accounts.lives.lives import suspend_user
from chatd.accounts.users import create_user
from chatd.domain.chat import Status
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.roles import UserRole
from chatd.kit.clock import Clock
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.chores import HELD_MICROS, finish_chore, take_chore
from chatd.storage.transactions.transact import Store, create_chat
from chatd.worker.chores import FIRST_CHORES_SECONDS, Chore, do_chores, stop_for_shut_out
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import create

EVERY_SECONDS = 100.0


async def until(clock: MovedClock, done: Counter[str], **wanted: int) -> None:
    while any(done[name] < count for name, count in wanted.items()):
        await clock.advance(0.1)
        await asyncio.sleep(0)


@proves("people", 79)
async def test_one_that_raises_or_does_not_end_keeps_no_other_from_its_turn(
    store: Store, clock: MovedClock
) -> None:
    done: Counter[str] = Counter()

    async def breaks(_: Store, __: Clock) -> None:
        done["breaks"] += 1
        raise LookupError

    async def hangs(_: Store, __: Clock) -> None:
        done["hangs"] += 1
        await asyncio.Event().wait()

    async def works(_: Store, __: Clock) -> None:
        done["works"] += 1

    chores = [Chore(each.__name__, each, EVERY_SECONDS) for each in (breaks, hangs, works)]
    doing = asyncio.ensure_future(do_chores(store, clock, chores))
    await clock.advance(FIRST_CHORES_SECONDS)
    await until(clock, done, breaks=1, hangs=1, works=1)
    await clock.advance(EVERY_SECONDS)
    await until(clock, done, breaks=2, works=2)
    doing.cancel()
    await asyncio.wait([doing])

    assert done["hangs"] == 1


async def test_agents_of_who_is_shut_out_stop_although_the_server_died_that_should_have_stopped_them(
    store: Store, clock: MovedClock, owner: UserId
) -> None:
    other = await create_user(store.db, "other", UserRole.MEMBER)
    await create_user(store.db, "root", UserRole.ADMIN)
    await create_chat(store, create())
    await create_chat(store, replace(create(chat_id="theirs"), owner_id=other.id))
    await stop_for_shut_out(store, clock)
    # The flag is set, and then nothing more is done.
    await suspend_user(store.db, owner)

    for _ in range(2):
        await stop_for_shut_out(store, clock)

    chats = [await read_chat(store.db, ChatId(name)) for name in ("chat", "theirs")]
    assert [chat.status for chat in chats if chat is not None] == [Status.INTERRUPTING, Status.RUNNING]


async def test_of_two_servers_one_does_it_and_the_other_when_that_one_has_died(
    store: Store, clock: MovedClock
) -> None:
    db = store.db

    async def take(holder: str) -> bool:
        return await take_chore(db, "sweep", holder, not_within_micros=90)

    assert [await take("one"), await take("other")] == [True, False]
    await finish_chore(db, "sweep", "one", done=True)
    # Done lately.
    assert [await take("one"), await take("other")] == [False, False]
    await clock.advance(1)
    assert [await take("other"), await take("one")] == [True, False]
    # It dies.
    await clock.advance(HELD_MICROS / 1_000_000)
    assert await take("one")
    # It was paused, and comes back.
    await finish_chore(db, "sweep", "other", done=True)
    assert not await take("other")
    # What was not done to its end is due at once.
    await finish_chore(db, "sweep", "one", done=False)
    assert await take("other")
