"""Who is alive, and which chats have nobody."""

import asyncio

import pytest

from chatd.domain.decision.fence import NeedsWorker
from chatd.domain.ids import SECOND, ChatId, UserId, WorkerId
from chatd.domain.limits import CLIENT_ANSWER_MICROS
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import Stale
from chatd.storage.database import Database
from chatd.storage.reads.read import read_chat
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.traceability import proves
from tests.words import OWNER, call, client_call, create, lease, question, says, step

CHAT = ChatId("chat")


async def free(database: Database) -> list[str]:
    return [str(chat_id) for chat_id in await leases.chats_without_worker(database, limit=10)]


async def test_a_chat_is_free_until_a_worker_takes_it(store: Store, database: Database) -> None:
    await create_chat(store, create())
    assert await free(database) == [CHAT]

    await leases.beat(database, lease().worker_id)
    await transact(store, CHAT, Acquire(lease=lease()), fence=NeedsWorker())

    assert await free(database) == []


async def test_a_chat_is_free_again_when_its_worker_has_been_quiet_for_ten_seconds(
    store: Store, database: Database, clock: MovedClock
) -> None:
    await create_chat(store, create())
    await leases.beat(database, lease().worker_id)
    await transact(store, CHAT, Acquire(lease=lease()))

    await clock.advance(10)
    assert await free(database) == []
    with pytest.raises(Stale):
        await transact(store, CHAT, Acquire(lease=lease("other")), fence=NeedsWorker())

    await clock.advance(0.1)
    assert await free(database) == [CHAT]
    await transact(store, CHAT, Acquire(lease=lease("other")), fence=NeedsWorker())


async def test_of_workers_who_reach_for_a_chat_at_once_one_gets_it(store: Store, database: Database) -> None:
    await create_chat(store, create())
    leases_of_all = [lease(f"worker {n}") for n in range(4)]
    for each in leases_of_all:
        await leases.beat(database, each.worker_id)
    # So many connections are open already, and they really wait for one another.
    await asyncio.gather(*(read_chat(database, CHAT) for _ in range(8)))

    outcomes = await asyncio.gather(
        *(transact(store, CHAT, Acquire(lease=each), fence=NeedsWorker()) for each in leases_of_all),
        return_exceptions=True,
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Done", "Stale", "Stale", "Stale"]


async def test_one_beat_keeps_every_chat_of_a_worker(
    store: Store, database: Database, clock: MovedClock
) -> None:
    await leases.beat(database, lease().worker_id)
    for n in range(3):
        await create_chat(store, create(chat_id=f"chat {n}"))
        await transact(store, ChatId(f"chat {n}"), Acquire(lease=lease(runner=f"runner {n}")))

    await clock.advance(9)
    await leases.beat(database, lease().worker_id)
    await clock.advance(9)

    assert await free(database) == []


async def test_a_worker_that_ends_in_order_hands_over_at_once(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await leases.beat(database, lease().worker_id)
    await transact(store, CHAT, Acquire(lease=lease()))

    await leases.forget_worker(database, lease().worker_id)

    assert await free(database) == [CHAT]


async def test_after_an_embedded_restart_every_chat_is_free_at_once(store: Store, database: Database) -> None:
    await create_chat(store, create())
    await leases.beat(database, lease().worker_id)
    await transact(store, CHAT, Acquire(lease=lease()))

    await leases.forget_everyone(database)

    assert await free(database) == [CHAT]


@proves("worker", 16)
async def test_only_quiet_workers_are_swept(store: Store, database: Database, clock: MovedClock) -> None:
    await leases.beat(database, WorkerId("quiet"))
    await clock.advance(11)
    await leases.beat(database, WorkerId("alive"))

    await leases.sweep(database)

    rows = await database.read(lambda tx: tx.all("list_workers"))
    assert [row[0] for row in rows] == ["alive"]


@proves("worker", 6)
async def test_what_must_stop_comes_first_and_then_the_longest_waiting(
    store: Store, database: Database, clock: MovedClock
) -> None:
    for name in ("runs first", "runs later", "asks", "stops", "rests"):
        await create_chat(store, create(chat_id=name))
        await clock.advance(1)
    await transact(store, ChatId("asks"), step(says("look", client_call("tab"))), RequireAction())
    await transact(store, ChatId("stops"), Interrupt())
    await transact(store, ChatId("rests"), FinishTurn())
    assert await free(database) == ["stops", "runs first", "runs later"]

    await clock.advance(CLIENT_ANSWER_MICROS / SECOND)
    assert await free(database) == ["stops", "asks", "runs first", "runs later"]


async def test_a_chat_that_waits_for_its_client_needs_a_worker_only_when_its_time_is_up(
    store: Store, database: Database, clock: MovedClock
) -> None:
    await create_chat(store, create())
    await transact(store, CHAT, step(says("look", client_call("tab"))), RequireAction())
    await leases.beat(database, lease().worker_id)

    await clock.advance(CLIENT_ANSWER_MICROS / SECOND - 1)
    assert await free(database) == []
    with pytest.raises(Stale):
        await transact(store, CHAT, Acquire(lease=lease()), fence=NeedsWorker())

    await clock.advance(1)
    await leases.beat(database, lease().worker_id)
    assert await free(database) == [CHAT]
    await transact(store, CHAT, Acquire(lease=lease()), fence=NeedsWorker())
    assert await free(database) == []
    assert await leases.chats_of_worker(database, lease().worker_id) == [CHAT]


async def test_a_chat_that_waits_for_a_person_never_needs_a_worker(
    store: Store, database: Database, clock: MovedClock
) -> None:
    await create_chat(store, create())
    asking = step(says("may I", call("q", "ask")), plans=(question("q"),))
    await transact(store, CHAT, asking, RequireAction())

    await clock.advance(CLIENT_ANSWER_MICROS / SECOND + 1)

    assert await free(database) == []


@proves("worker", 4)
async def test_no_more_are_found_than_asked_for(store: Store, database: Database) -> None:
    for n in range(5):
        await create_chat(store, create(chat_id=f"chat {n}"))

    assert len(await leases.chats_without_worker(database, limit=2)) == 2


async def test_running_chats_of_users_who_are_named_are_left_where_they_are(
    store: Store, database: Database
) -> None:
    for chat_id in ("a", "b"):
        await create_chat(store, create(chat_id=chat_id))
    await transact(store, ChatId("b"), Interrupt())

    assert await leases.chats_without_worker(database, limit=10, without=[OWNER]) == ["b"]
    assert len(await leases.chats_without_worker(database, limit=10, without=[UserId("own")])) == 2
