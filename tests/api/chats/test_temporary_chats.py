"""A temporary chat over HTTP: used like any other by its id, and left behind."""

from typing import Any

from chatd.domain.ids import ChatId
from chatd.domain.limits import TEMPORARY_SECONDS
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.database import Database
from chatd.storage.transactions.transact import Store, transact
from chatd.worker.chores import remove_expired_chats
from chatd.worker.search_index import index_all
from tests.api.client import CHATS, Client
from tests.clock import HurriedClock, MovedClock
from tests.words import says, step

REPLY = (step(says("Mars.")), FinishTurn())


async def begun(client: Client, words: str = "Name a planet.", **fields: object) -> Any:
    return await client.start_chat(words, temporary=True, **fields)


async def test_it_says_so_and_is_used_by_its_id(client: Client, store: Store) -> None:
    chat = await begun(client)
    path = f"{CHATS}/{chat['id']}"
    await transact(store, ChatId(chat["id"]), *REPLY)

    sent = await client.post(f"{path}/messages", {"content": [{"type": "text", "text": "And a moon?"}]})

    assert chat["temporary"] is True
    assert (await client.get(path)).json["temporary"] is True
    assert (sent.status, sent.json["queued"]) == (200, False)
    assert len((await client.get(f"{path}/messages")).json["messages"]) == 3


async def test_it_is_neither_listed_nor_found(client: Client, database: Database) -> None:
    kept = await client.start_chat("Name a planet.")
    await begun(client)
    await index_all(database, HurriedClock())

    for query in ({}, {"q": "planet"}, {"title": "Name"}):
        page = (await client.get(CHATS, **query)).json
        assert [chat["id"] for chat in page["chats"]] == [kept["id"]], query


async def test_its_key_makes_it_once_and_finds_it(client: Client) -> None:
    first, again = await begun(client, key="request 1"), await begun(client, key="request 1")

    assert again["id"] == first["id"]
    found = (await client.get(CHATS, key="request 1")).json["chats"]
    assert [chat["id"] for chat in found] == [first["id"]]


async def test_only_its_owner_and_administrators_see_it(
    client: Client, stranger: Client, admin: Client
) -> None:
    path = f"{CHATS}/{(await begun(client))['id']}"

    assert [(await caller.get(path)).status for caller in (stranger, admin)] == [404, 200]


async def test_of_ten_turns_with_their_whole_history_none_is_stored_after_the_hour(
    client: Client, store: Store, database: Database, clock: MovedClock
) -> None:
    """As Chat Completions has it: each request brings all that was said before."""
    history: list[Any] = []
    made = []
    for number in range(10):
        asked = {"role": "user", "content": [{"type": "text", "text": f"question {number}"}]}
        chat = await begun(client, f"question {number}", history=history)
        await transact(store, ChatId(chat["id"]), *REPLY)
        history += [asked, {"role": "assistant", "content": [{"type": "text", "text": "Mars."}]}]
        made.append(f"{CHATS}/{chat['id']}")
    assert (await client.get(CHATS)).json["chats"] == []

    await clock.advance(TEMPORARY_SECONDS)
    await remove_expired_chats(store, HurriedClock())

    assert {(await client.get(path)).status for path in made} == {404}
    rows = await database.read(lambda tx: tx.all("all_messages", made[0].rpartition("/")[2]))
    assert list(rows) == []
