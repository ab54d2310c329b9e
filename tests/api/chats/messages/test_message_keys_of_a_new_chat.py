"""The messages that a new chat begins with have keys of their own, as messages that are sent later have."""

from typing import Any

import pytest

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.client import CHATS, Client
from tests.words import says, step

CONTENT = [{"type": "text", "text": "And a moon?"}]
ASKED = {"role": "user", "content": [{"type": "text", "text": "Name a planet."}]}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "Mars."}]}
BEGUN = {
    "key": "thread",
    "history": [ASKED | {"key": "m1"}, REPLY],
    "content": CONTENT,
    "message_key": "m2",
    "instructions": "Be brief.",
}


async def keys_of(client: Client, path: str) -> list[Any]:
    page = (await client.get(f"{path}/messages")).json
    return [message.get("key") for message in reversed(page["messages"])]


async def begin(client: Client) -> str:
    answer = await client.post(CHATS, BEGUN)
    assert answer.status == 201, answer.body
    return f"{CHATS}/{answer.json['id']}"


async def test_they_are_shown_with_their_messages(client: Client) -> None:
    path = await begin(client)

    assert await keys_of(client, path) == ["m1", None, "m2"]
    assert (await client.get(path)).json["key"] == "thread"


async def test_the_first_message_sent_again_by_its_key_is_answered_with_itself(
    client: Client, store: Store
) -> None:
    path = await begin(client)
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("Deimos.")), FinishTurn())

    again = await client.post(
        f"{path}/messages", {"content": CONTENT, "key": "m2", "instructions": "Be brief."}
    )

    assert (again.status, again.json["queued"], again.json["message"]["id"]) == (200, False, 3)
    assert await keys_of(client, path) == ["m1", None, "m2", None]


@pytest.mark.parametrize(
    "sent",
    [{"content": CONTENT, "key": "m1"}, {"content": ASKED["content"], "key": "m2"}],
    ids=["of the history", "with other content"],
)
async def test_another_message_with_such_a_key_is_refused(client: Client, sent: Any) -> None:
    path = await begin(client)

    refused = await client.post(f"{path}/messages", sent)

    assert (refused.status, refused.error["code"]) == (409, "key_used")


async def test_the_same_request_again_makes_nothing_new(client: Client) -> None:
    assert await begin(client) == await begin(client)


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"message_key": "m1"}, "duplicate_key", "message_key"),
        ({"history": [ASKED | {"key": "a"}, ASKED | {"key": "a"}]}, "duplicate_key", "history[1].key"),
        ({"history": [ASKED, REPLY | {"key": "a"}]}, "misplaced_key", "history[1].key"),
        ({"history": [ASKED | {"key": "a\nb"}]}, "bad_value", "history[0].key"),
        ({"message_key": "a\nb"}, "bad_value", "message_key"),
    ],
    ids=["twice", "twice in the history", "of the agent", "not plain in the history", "not plain"],
)
async def test_keys_that_make_no_sense_are_refused_and_nothing_is_stored(
    client: Client, change: dict[str, Any], code: str, field: str
) -> None:
    refused = await client.post(CHATS, BEGUN | change)

    assert (refused.status, refused.error["code"], refused.error["field"]) == (400, code, field)
    assert (await client.get(CHATS)).json["chats"] == []


async def test_an_import_takes_keys_and_an_export_has_none(client: Client, store: Store) -> None:
    path = await begin(client)
    exported = (await client.get(f"{path}/export")).json
    assert all("key" not in message for message in exported["messages"])
    exported["messages"][0]["key"] = "m9"

    imported = (await client.post(f"{CHATS}/import", exported)).json

    assert await keys_of(client, f"{CHATS}/{imported['id']}") == ["m9", None, None]
