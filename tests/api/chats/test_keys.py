"""A key is the caller's own name for a chat or a message: what was made with it is made once."""

import asyncio
from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.limits import QUEUE_MESSAGES_MAX
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.messages.test_sending import SENT, a_chat
from tests.api.client import CHATS, Answer, Client
from tests.words import says, send, step

BEGUN = {"content": [{"type": "text", "text": "hello"}], "labels": {"a": "1", "b": "2"}, "key": "thread 1"}
KEYED = SENT | {"key": "message 1"}


async def everything(store: Store, path: str) -> tuple[list[str | None], list[str | None]]:
    """The keys of all messages that were ever said, and of those that wait."""
    found = await read_everything(store.db, ChatId(path.rpartition("/")[2]))
    assert found is not None
    return [m.key for m in found.messages], [q.key for q in found.queue]


async def chats_of(client: Client) -> list[Any]:
    return [chat["id"] for chat in (await client.get(CHATS)).json["chats"]]


async def test_a_chat_has_the_key_it_was_made_with(client: Client) -> None:
    chat = (await client.post(CHATS, BEGUN)).json

    assert chat["key"] == "thread 1"
    assert (await client.get(f"{CHATS}/{chat['id']}")).json["key"] == "thread 1"
    assert (await client.start_chat("hello"))["key"] is None


async def test_the_same_key_again_makes_no_second_chat(client: Client, store: Store) -> None:
    first = await client.post(CHATS, BEGUN)
    await transact(store, ChatId(first.json["id"]), step(says("hi")), FinishTurn())

    # The fields of an object have no order.
    again = await client.post(CHATS, BEGUN | {"labels": {"b": "2", "a": "1"}})

    assert (first.status, again.status) == (201, 201)
    assert again.json == (await client.get(f"{CHATS}/{first.json['id']}")).json | {"held_up": None}
    assert again.json["status"] == "waiting"
    assert await chats_of(client) == [first.json["id"]]


async def test_of_identical_requests_at_once_one_makes_the_chat(client: Client, store: Store) -> None:
    made = await asyncio.gather(*(client.post(CHATS, BEGUN) for _ in range(8)))

    assert {answer.status for answer in made} == {201}
    assert len({answer.json["id"] for answer in made}) == 1
    assert len(await chats_of(client)) == 1
    assert await everything(store, made[0].json["id"]) == ([None], [])


async def test_a_key_is_of_its_owner(client: Client, stranger: Client) -> None:
    mine, theirs = (await client.post(CHATS, BEGUN)).json, (await stranger.post(CHATS, BEGUN)).json

    assert mine["id"] != theirs["id"]


async def test_a_repeated_request_is_answered_even_if_it_would_be_refused_by_now(
    client: Client, store: Store
) -> None:
    chat = (await client.post(CHATS, BEGUN)).json
    path = f"{CHATS}/{chat['id']}"
    await transact(store, ChatId(chat["id"]), step(says("hi")), FinishTurn())
    sent = (await client.post(f"{path}/messages", KEYED)).json
    await transact(store, ChatId(chat["id"]), step(says("none")), FinishTurn())
    assert (await client.patch(path, {"archived": True})).status == 200

    assert (await client.post(CHATS, BEGUN)).json["id"] == chat["id"]
    assert (await client.post(f"{path}/messages", KEYED)).json == sent


async def test_the_key_of_a_chat_that_was_deleted_is_free(client: Client) -> None:
    chat = (await client.post(CHATS, BEGUN)).json
    await client.delete(f"{CHATS}/{chat['id']}")

    assert (await client.post(CHATS, BEGUN)).json["id"] != chat["id"]


@pytest.mark.parametrize("other", [{"title": "Another"}, {"content": [{"type": "text", "text": "bye"}]}])
async def test_a_key_that_was_used_for_another_chat_is_refused(client: Client, other: Any) -> None:
    await client.post(CHATS, BEGUN)

    refused = await client.post(CHATS, BEGUN | other)

    assert (refused.status, refused.error["code"], refused.error["field"]) == (409, "key_used", "key")
    assert len(await chats_of(client)) == 1


async def test_a_chat_is_found_by_its_key(client: Client, stranger: Client, store: Store) -> None:
    chat = (await client.post(CHATS, BEGUN)).json
    await client.start_chat("another")
    await transact(store, ChatId(chat["id"]), step(says("hi")), FinishTurn())
    await client.patch(f"{CHATS}/{chat['id']}", {"archived": True})

    found = (await client.get(CHATS, key="thread 1")).json

    assert [each["id"] for each in found["chats"]] == [chat["id"]]
    assert (await client.get(CHATS, key="thread 2")).json == {"chats": []}
    assert (await stranger.get(CHATS, key="thread 1")).json == {"chats": []}
    assert (await client.get(CHATS, key="thread 1", title="x")).error["field"] == "key"


@pytest.mark.parametrize("key", ["", "a\nb", " ", "\0", "k" * 201, 5])
async def test_a_key_is_short_visible_text(client: Client, store: Store, key: object) -> None:
    path = await a_chat(client, store)

    assert (await client.post(CHATS, BEGUN | {"key": key})).status == 400
    assert (await client.post(f"{path}/messages", SENT | {"key": key})).status == 400
    assert (await client.post(CHATS, BEGUN | {"key": "k" * 200})).status == 201


async def test_the_same_key_again_says_nothing_twice(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())

    first = await client.post(f"{path}/messages", KEYED)
    again = await client.post(f"{path}/messages", KEYED)

    assert (again.status, again.json) == (first.status, first.json) == (200, first.json)
    assert first.json["message"]["key"] == "message 1"
    assert await everything(store, path) == ([None, None, "message 1"], [])


async def test_of_identical_messages_at_once_one_is_sent(client: Client, store: Store) -> None:
    path = await a_chat(client, store)

    sent = await asyncio.gather(*(client.post(f"{path}/messages", KEYED) for _ in range(8)))

    assert [answer.json for answer in sent] == [sent[0].json] * 8
    assert await everything(store, path) == ([None], ["message 1"])


async def test_of_identical_messages_at_once_one_takes_the_last_place_in_the_queue(
    client: Client, store: Store
) -> None:
    waiting = [send(f"{n}") for n in range(QUEUE_MESSAGES_MAX - 1)]
    path = await a_chat(client, store, *waiting)

    sent = await asyncio.gather(*(client.post(f"{path}/messages", KEYED) for _ in range(4)))

    assert [answer.json for answer in sent] == [sent[0].json] * 4
    assert (await client.post(f"{path}/messages", SENT)).status == 429


async def test_a_message_keeps_its_key_from_the_queue_into_the_history(client: Client, store: Store) -> None:
    path = await a_chat(client, store)
    queued = (await client.post(f"{path}/messages", KEYED)).json
    assert (await client.get(path)).json["queue"][0]["key"] == "message 1"
    assert (await client.post(f"{path}/messages", KEYED)).json == queued

    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())
    again = await client.post(f"{path}/messages", KEYED)

    newest = (await client.get(f"{path}/messages", limit=1)).json["messages"][0]
    assert again.json == {"queued": False, "message": newest}
    assert newest["key"] == "message 1"
    assert newest["id"] != queued["queued_message"]["id"]


async def test_a_message_that_was_taken_back_is_not_sent_again(client: Client, store: Store) -> None:
    path = await a_chat(client, store)
    queued = (await client.post(f"{path}/messages", KEYED)).json["queued_message"]
    await client.delete(f"{path}/queue/{queued['id']}")

    again = await client.post(f"{path}/messages", KEYED)

    assert again.json == {"queued": True, "queued_message": queued | {"content": []}}
    assert await everything(store, path) == ([None], [])


async def test_a_message_that_was_edited_away_is_not_sent_again(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn())
    sent = (await client.post(f"{path}/messages", KEYED)).json
    await client.patch(f"{path}/messages/{sent['message']['id']}", SENT)

    again = (await client.post(f"{path}/messages", KEYED)).json["message"]
    # The edit has interrupted its turn.
    assert again.pop("turn_end")["reason"] == "interrupted"
    assert again == sent["message"]
    # The edited one is another message.
    assert await everything(store, path) == ([None, None, "message 1", None], [])


@pytest.mark.parametrize("other", [{"when": "steer"}, {"content": [{"type": "text", "text": "no"}]}])
async def test_a_key_that_was_used_for_another_message_is_refused(
    client: Client, store: Store, other: Any
) -> None:
    path = await a_chat(client, store)
    await client.post(f"{path}/messages", KEYED)

    refused = await client.post(f"{path}/messages", KEYED | other)

    assert (refused.status, refused.error["code"]) == (409, "key_used")
    assert await everything(store, path) == ([None], ["message 1"])


async def test_a_key_is_of_its_chat(client: Client, store: Store) -> None:
    one, other = await a_chat(client, store), await a_chat(client, store)

    assert (await client.post(f"{one}/messages", KEYED)).json["queued"]
    assert (await client.post(f"{other}/messages", KEYED)).json["queued"]


async def test_a_key_opens_no_chat_of_another_user(
    client: Client, stranger: Client, admin: Client, store: Store
) -> None:
    path = await a_chat(client, store)
    await client.post(f"{path}/messages", KEYED)

    async def asks(caller: Client) -> Answer:
        return await caller.post(f"{path}/messages", KEYED)

    assert ((await asks(stranger)).status, (await asks(admin)).status) == (404, 403)
