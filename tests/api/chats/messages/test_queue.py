import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import failure, send


async def a_busy_chat(client: Client, store: Store, *waiting: str) -> str:
    """Its queued messages are numbered from 2 on."""
    chat = await client.start_chat("hello")
    for words in waiting:
        await transact(store, ChatId(chat["id"]), send(words))
    return f"{CHATS}/{chat['id']}"


async def queue_of(client: Client, path: str) -> list[int]:
    return [row["id"] for row in (await client.get(path)).json["queue"]]


@proves("api", 41)
async def test_a_waiting_message_can_be_taken_back(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b", "c")

    answer = await client.delete(f"{path}/queue/3")

    assert (answer.status, answer.body) == (204, b"")
    assert await queue_of(client, path) == [2, 4]


@proves("api", 41)
async def test_it_can_be_taken_back_only_once(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b")
    await client.delete(f"{path}/queue/2")

    assert (await client.delete(f"{path}/queue/2")).status == 404
    await client.delete(f"{path}/queue/3")
    assert (await client.delete(f"{path}/queue/3")).status == 409


@proves("api", 42)
async def test_a_promoted_message_is_next_and_stops_what_runs(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b", "c")

    answer = await client.post(f"{path}/queue/4/promote", {})

    assert (answer.status, answer.json["status"]) == (202, "interrupting")
    assert await queue_of(client, path) == [4, 2, 3]


async def test_a_promoted_message_wakes_a_failed_chat(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b")
    await transact(store, ChatId(path.rpartition("/")[2]), FailTurn(failure=failure()))

    answer = await client.post(f"{path}/queue/3/promote", {})

    assert (answer.json["status"], await queue_of(client, path)) == ("running", [2])


async def test_waiting_messages_can_be_put_in_another_order(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b", "c")

    answer = await client.put(f"{path}/queue", {"queued_ids": [4, 2, 3]})

    assert (answer.status, answer.json["status"]) == (200, "running")
    assert [row["id"] for row in answer.json["queue"]] == [4, 2, 3]
    assert await queue_of(client, path) == [4, 2, 3]


async def test_an_order_may_name_some_of_the_queue_and_what_has_left_it(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a", "b", "c")
    await client.delete(f"{path}/queue/3")

    await client.put(f"{path}/queue", {"queued_ids": [4, 3]})

    assert await queue_of(client, path) == [4, 2]


@pytest.mark.parametrize(
    "body", [{}, {"queued_ids": [2, 2]}, {"queued_ids": ["2"]}, {"queued_ids": [*range(21)]}, {"order": [2]}]
)
async def test_an_order_that_cannot_be_is_refused(client: Client, store: Store, body: object) -> None:
    path = await a_busy_chat(client, store, "a", "b")

    assert (await client.put(f"{path}/queue", body)).status == 400
    assert await queue_of(client, path) == [2, 3]


async def test_where_nothing_waits_there_is_no_order(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store)

    assert (await client.put(f"{path}/queue", {"queued_ids": []})).error["code"] == "not_allowed"


@pytest.mark.parametrize(("queued_id", "status"), [("9", 404), ("x", 400), ("9" * 40, 400)])
async def test_a_message_that_does_not_wait_is_refused(
    client: Client, store: Store, queued_id: str, status: int
) -> None:
    path = await a_busy_chat(client, store, "a")

    assert (await client.delete(f"{path}/queue/{queued_id}")).status == status
    assert (await client.post(f"{path}/queue/{queued_id}/promote", {})).status == status
    assert await queue_of(client, path) == [2]


async def test_an_administrator_neither_orders_the_queue_of_others_nor_takes_from_it(
    client: Client, store: Store, admin: Client, stranger: Client
) -> None:
    path = await a_busy_chat(client, store, "a", "b")

    assert (await stranger.delete(f"{path}/queue/2")).status == 404
    assert (await stranger.post(f"{path}/queue/2/promote", {})).status == 404
    assert (await admin.post(f"{path}/queue/2/promote", {})).status == 403
    assert (await stranger.put(f"{path}/queue", {"queued_ids": [3, 2]})).status == 404
    assert (await admin.put(f"{path}/queue", {"queued_ids": [3, 2]})).status == 403
    assert (await admin.delete(f"{path}/queue/2")).error["code"] == "not_permitted"


@proves("api", 28)
async def test_the_queue_of_an_archived_chat_stays_as_it_is(client: Client, store: Store) -> None:
    path = await a_busy_chat(client, store, "a")
    await transact(store, ChatId(path.rpartition("/")[2]), FailTurn(failure=failure()))
    await client.patch(path, {"archived": True})

    assert (await client.post(f"{path}/queue/2/promote", {})).error["code"] == "archived"
    assert (await client.delete(f"{path}/queue/2")).error["code"] == "archived"
    assert (await client.put(f"{path}/queue", {"queued_ids": [2]})).error["code"] == "archived"
