"""What operators are told of a database, on both."""

from chatd.domain.ids import ChatId, WorkerId
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.storage.database import Pooled
from chatd.storage.health.census import Census, take_census
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.words import create, lease, user


async def test_an_empty_database_has_nothing_to_do(store: Store) -> None:
    assert await take_census(store.db) == Census()


async def test_chats_that_wait_for_a_worker_are_told_from_those_that_are_driven(
    store: Store, clock: MovedClock
) -> None:
    await leases.beat(store.db, WorkerId("alive"))
    for name in ("driven", "waits", "lost"):
        await create_chat(store, create(user("Hello."), chat_id=name))
    await transact(store, ChatId("driven"), Acquire(lease=lease("alive")))
    await transact(store, ChatId("lost"), Acquire(lease=lease("never seen")))
    await clock.advance(4)

    census = await take_census(store.db)

    assert (census.driven, census.waiting, census.waiting_seconds) == (1, 2, 4)
    assert (census.workers, census.lease_seconds) == (1, 4)


async def test_messages_in_queues_are_counted(store: Store) -> None:
    chat = (await create_chat(store, create(user("Hello.")))).chat
    await transact(store, chat.id, SendMessage(message=user("And then?"), when=When.QUEUE))

    assert (await take_census(store.db)).queued_messages == 1


async def test_a_database_at_rest_has_ready_connections_and_nothing_that_waits(store: Store) -> None:
    await take_census(store.db)

    assert isinstance(store.db, Pooled)
    use = store.db.connection_use()
    assert (use.in_use, use.waiting) == (0, 0)
    assert use.ready >= 1
