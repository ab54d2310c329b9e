from typing import Any

import pytest

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Draft, Role, Usage, Visibility
from chatd.domain.part import Reasoning
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import CHATS, Client
from tests.traceability import proves
from tests.words import said, says, send, step


def words(page: Any) -> list[str]:
    return [part["text"] for message in page["messages"] for part in message["content"]]


async def a_long_chat(client: Client, store: Store, replies: int) -> str:
    """A chat that says 1, 2, 3 … and whose messages are numbered like that."""
    chat = await client.start_chat("1")
    for n in range(2, replies + 1):
        await transact(store, ChatId(chat["id"]), step(says(str(n))))
    return f"{CHATS}/{chat['id']}/messages"


@proves("api", 39)
async def test_a_message_is_shown_with_all_that_is_public(client: Client, store: Store) -> None:
    chat = await client.start_chat("hello", model="some/model")
    chat_id = ChatId(chat["id"])
    reply = Draft(
        role=Role.ASSISTANT,
        content=(Reasoning(text="hm"), *said("hi")),
        model="some/model",
        usage=Usage(input_tokens=3, output_tokens=4),
        internal={"signature": "secret"},
    )
    await transact(store, chat_id, step(reply))

    page = (await client.get(f"{CHATS}/{chat_id}/messages")).json

    assert page == {
        "messages": [
            {
                "id": 2,
                "chat_id": chat_id,
                "role": "assistant",
                "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "hi"}],
                "created_at": START,
                "model": "some/model",
                "usage": {"input_tokens": 3, "output_tokens": 4},
            },
            {
                "id": 1,
                "chat_id": chat_id,
                "role": "user",
                "content": [{"type": "text", "text": "hello"}],
                "created_at": START,
                "created_by": "owner",
                "model": "some/model",
            },
        ],
        "has_more": False,
        "queued_messages": [],
    }


@proves("api", 35)
async def test_what_only_the_model_sees_is_not_shown(client: Client, store: Store) -> None:
    chat = await client.start_chat("1")
    hidden = Draft(role=Role.SYSTEM, content=said("be kind"), visibility=Visibility.MODEL)
    await transact(store, ChatId(chat["id"]), step(hidden))

    assert words((await client.get(f"{CHATS}/{chat['id']}/messages")).json) == ["1"]


async def test_pages_go_back_from_the_newest_without_a_gap(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 7)

    first = (await client.get(path, limit=3)).json
    second = (await client.get(path, limit=3, before_id=first["messages"][-1]["id"])).json
    third = (await client.get(path, limit=3, before_id=second["messages"][-1]["id"])).json

    assert [words(page) for page in (first, second, third)] == [["7", "6", "5"], ["4", "3", "2"], ["1"]]
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]


async def test_a_client_that_follows_a_chat_reads_upwards(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 7)

    page = (await client.get(path, after_id=2, limit=3)).json

    assert (words(page), page["has_more"]) == (["3", "4", "5"], True)


@proves("api", 33)
async def test_a_client_that_follows_a_chat_through_bursts_misses_none(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 7)
    chat_id = ChatId(path.split("/")[-2])
    followed: list[str] = []
    last = 0
    for burst in (5, 0, 9, 1, 0, 0, 0, 0):
        page = (await client.get(path, after_id=last, limit=4)).json
        followed += words(page)
        last = page["messages"][-1]["id"] if page["messages"] else last
        for number in range(burst):
            await transact(store, chat_id, step(says(f"burst {burst}.{number}")))

    said = [f"burst {burst}.{number}" for burst in (5, 9, 1) for number in range(burst)]
    assert followed == [*map(str, range(1, 8)), *said]


async def test_a_window_is_read_downwards(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 7)

    assert words((await client.get(path, after_id=2, before_id=6)).json) == ["5", "4", "3"]


@proves("api", 34)
async def test_only_the_first_page_has_the_queue(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 2)
    await transact(store, ChatId(path.split("/")[-2]), send("later"))

    (queued,) = (await client.get(path)).json["queued_messages"]

    assert queued == {
        "id": 3,
        "chat_id": path.split("/")[-2],
        "content": [{"type": "text", "text": "later"}],
        "created_at": START,
        "created_by": "owner",
        "when": "queue",
    }
    assert "queued_messages" not in (await client.get(path, before_id=2)).json
    assert "queued_messages" not in (await client.get(path, after_id=1)).json


async def test_a_branch_that_an_edit_has_left_can_still_be_read(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 2)
    chat_id = ChatId(path.split("/")[-2])
    await transact(store, chat_id, FinishTurn())
    await transact(store, chat_id, EditMessage(message_id=MessageId(1), content=said("one")))

    assert words((await client.get(path)).json) == ["one"]
    assert words((await client.get(path, branch=1)).json) == ["2", "1"]
    assert words((await client.get(path, branch=2)).json) == ["one"]
    assert (await client.get(path, branch=3)).status == 404
    assert (await client.get(path, branch=0)).status == 404


@proves("api", 31, 32)
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"after_id": 5, "before_id": 5}, "after_id"),
        ({"after_id": 6, "before_id": 5}, "after_id"),
        ({"after_id": -1}, "after_id"),
        ({"before_id": "x"}, "before_id"),
        ({"before_id": 2**63}, "before_id"),
        ({"before_id": "9" * 5000}, "before_id"),
        ({"branch": "main"}, "branch"),
        ({"befor_id": 3}, "befor_id"),
    ],
)
async def test_a_page_that_cannot_be_is_refused(client: Client, query: dict[str, object], field: str) -> None:
    chat = await client.start_chat()

    answer = await client.get(f"{CHATS}/{chat['id']}/messages", **query)

    assert (answer.status, answer.error["field"]) == (400, field)


async def test_200_messages_are_one_page(client: Client, store: Store) -> None:
    path = await a_long_chat(client, store, 1)
    await transact(store, ChatId(path.split("/")[-2]), step(*(says(str(n)) for n in range(2, 202))))

    page = (await client.get(path, limit=200)).json

    assert (len(page["messages"]), page["has_more"]) == (200, True)


async def test_the_messages_of_another_user_do_not_exist(client: Client, stranger: Client) -> None:
    chat = await client.start_chat()

    assert (await stranger.get(f"{CHATS}/{chat['id']}/messages")).status == 404
