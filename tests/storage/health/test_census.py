"""What operators are told of a database, on both."""

from chatd.domain.ids import CallId, ChatId, WorkerId
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.storage.database import Pooled
from chatd.storage.health.census import Census, take_census
from chatd.storage.tables import leases
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.clock import MovedClock
from tests.words import call, client_call, create, lease, result, says, step, user


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


async def test_calls_are_counted_by_state_with_the_age_of_the_oldest_of_each(
    store: Store, clock: MovedClock
) -> None:
    chat = (await create_chat(store, create(user("Look.")))).chat
    done = await transact(store, chat.id, step(says("", call("first"), call("second"))))
    await clock.advance(60)
    (reply,) = done.appended
    await transact(store, chat.id, StartCalls(message_id=reply.id, call_ids=(CallId("first"),)))
    await clock.advance(5)

    census = await take_census(store.db)

    assert census.calls == {"open": 1, "started": 1}
    assert census.oldest_call_seconds == {"open": 65, "started": 5}


async def test_a_call_that_a_client_is_to_answer_grows_no_older(store: Store, clock: MovedClock) -> None:
    chat = (await create_chat(store, create(user("Look.")))).chat
    await transact(store, chat.id, step(says("", client_call("tab"))))
    await clock.advance(3600)

    census = await take_census(store.db)

    assert (census.calls, census.oldest_call_seconds) == ({"open": 1}, {"open": 0})


async def test_a_call_of_ours_grows_no_older_while_its_chat_waits_for_a_client(
    store: Store, clock: MovedClock
) -> None:
    chat = (await create_chat(store, create(user("Look.")))).chat
    done = await transact(store, chat.id, step(says("", call("ours"), client_call("tab"))))
    (reply,) = done.appended
    await transact(store, chat.id, StartCalls(message_id=reply.id, call_ids=(CallId("ours"),)))
    await transact(store, chat.id, FinishCall(message_id=reply.id, call_id=CallId("ours"), result=result()))
    await transact(store, chat.id, RequireAction())
    await clock.advance(3600)

    census = await take_census(store.db)

    assert census.oldest_call_seconds == {"open": 0, "finished": 0}


async def test_a_database_at_rest_has_ready_connections_and_nothing_that_waits(store: Store) -> None:
    await take_census(store.db)

    assert isinstance(store.db, Pooled)
    use = store.db.connection_use()
    assert (use.in_use, use.waiting) == (0, 0)
    assert use.ready >= 1
