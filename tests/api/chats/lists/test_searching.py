"""GET /chats?q=: chats by the words in them."""

from typing import Any

import pytest

from chatd.api.checks import SEARCH_WORDS_MAX
from chatd.storage.database import Database
from chatd.worker.search_index import index_all
from tests.api.client import CHATS, Client
from tests.clock import HurriedClock, MovedClock


async def search(client: Client, database: Database, words: str, **query: object) -> Any:
    await index_all(database, HurriedClock())
    answer = await client.get(CHATS, q=words, **query)
    assert answer.status == 200, answer.body
    return answer.json


async def test_a_chat_is_found_with_the_message_and_a_piece_of_it(client: Client, database: Database) -> None:
    chat = await client.start_chat("Where do the  herons\nnest?", title="Birds")
    await client.start_chat("Something else")

    page = await search(client, database, "Nest herons")

    (found,) = page["chats"]
    assert (found["id"], found["status"]) == (chat["id"], chat["status"])
    assert found["found"] == {"message_id": 1, "snippet": "Where do the herons nest?"}
    assert "next" not in page


async def test_a_chat_is_found_by_its_title_without_a_message(client: Client, database: Database) -> None:
    await client.start_chat("hello", title="Crème brûlée")

    page = await search(client, database, "creme")

    assert [chat["found"] for chat in page["chats"]] == [{"message_id": None, "snippet": "Crème brûlée"}]


async def test_only_the_answer_to_a_search_says_where_it_was_found(client: Client) -> None:
    created = await client.start_chat("hello")
    (listed,) = (await client.get(CHATS)).json["chats"]

    assert "found" not in created
    assert "found" not in listed


async def test_chats_of_others_are_not_found(client: Client, stranger: Client, database: Database) -> None:
    await client.start_chat("ours alone")

    assert (await search(stranger, database, "ours"))["chats"] == []


async def test_an_administrator_finds_their_own_chats_alone(
    client: Client, admin: Client, database: Database
) -> None:
    await client.start_chat("ours alone")

    assert (await search(admin, database, "ours"))["chats"] == []


async def test_pages_of_a_search_follow_one_another(
    client: Client, database: Database, clock: MovedClock
) -> None:
    for number in range(5):
        await client.start_chat(f"needle {number}", title=f"{number}")
        await clock.advance(1)

    first = await search(client, database, "needle", limit=3)
    second = await search(client, database, "needle", limit=3, cursor=first["next"])

    assert [chat["title"] for chat in first["chats"]] == ["4", "3", "2"]
    assert [chat["title"] for chat in second["chats"]] == ["1", "0"]
    assert "next" not in second


async def test_an_archived_chat_is_found_in_the_archive(client: Client, database: Database) -> None:
    chat = await client.start_chat("needle")
    await client.post(f"{CHATS}/{chat['id']}/interrupt", {})

    assert len((await search(client, database, "needle"))["chats"]) == 1
    assert (await search(client, database, "needle", archived="true"))["chats"] == []


@pytest.mark.parametrize("words", [" ", "...", '"*"', "_"])
async def test_a_search_without_a_word_is_refused(client: Client, words: str) -> None:
    answer = await client.get(CHATS, q=words)

    assert (answer.status, answer.error["code"], answer.error["field"]) == (400, "no_words", "q")


async def test_too_many_words_are_refused(client: Client) -> None:
    words = " ".join(f"w{number}" for number in range(SEARCH_WORDS_MAX + 1))

    answer = await client.get(CHATS, q=words)

    assert (answer.status, answer.error["code"], answer.error["field"]) == (400, "too_many_words", "q")


async def test_the_cursor_of_a_list_is_not_one_of_a_search(client: Client) -> None:
    for number in range(2):
        await client.start_chat(f"{number}")
    cursor = (await client.get(CHATS, limit=1)).json["next"]

    answer = await client.get(CHATS, q="word", cursor=cursor)

    assert (answer.status, answer.error["code"]) == (400, "bad_cursor")
