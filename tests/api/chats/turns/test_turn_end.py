"""How each turn ended, for a program that comes late."""

from typing import Any

from chatd.domain.ids import ChatId
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.storage.transactions.transact import Store, transact
from tests.api.chats.messages.test_sending import a_chat
from tests.api.chats.test_creating_a_chat import START
from tests.api.client import Client
from tests.words import failure, says, send, step

GONE = {"message": "The model is gone.", "kind": "generic", "retryable": False}


async def ends(client: Client, path: str, **query: object) -> list[Any]:
    page = (await client.get(f"{path}/messages", **query)).json
    return [message.get("turn_end") for message in reversed(page["messages"])]


async def test_a_late_reader_learns_how_each_turn_ended(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")), FinishTurn(), send("more"), Interrupt())
    chat_id = ChatId(path.rpartition("/")[2])
    await transact(store, chat_id, FinishInterruption(partial=(says("once"),)), send("and now?"))
    # In a transaction of its own: the last message was written before.
    await transact(store, chat_id, FailTurn(failure=failure()))
    await transact(store, chat_id, send("still there?"))

    assert await ends(client, path) == [
        None,
        {"reason": "complete", "at": START},
        None,
        {"reason": "interrupted", "at": START},
        {"error": GONE, "at": START},
        None,
    ]


async def test_a_turn_that_goes_on_has_not_ended(client: Client, store: Store) -> None:
    path = await a_chat(client, store, FailTurn(failure=failure()))
    assert await ends(client, path) == [{"error": GONE, "at": START}]

    await transact(store, ChatId(path.rpartition("/")[2]), RetryTurn())
    assert await ends(client, path) == [None]
    await transact(store, ChatId(path.rpartition("/")[2]), step(says("hi")), FinishTurn())

    assert await ends(client, path) == [None, {"reason": "complete", "at": START}]


async def test_a_branch_that_was_left_tells_how_its_turns_ended(client: Client, store: Store) -> None:
    path = await a_chat(client, store, step(says("hi")))
    await client.patch(f"{path}/messages/1", {"content": [{"type": "text", "text": "hello again"}]})

    assert await ends(client, path, branch=1) == [None, {"reason": "interrupted", "at": START}]
    assert await ends(client, path) == [None]
