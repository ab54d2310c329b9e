"""The client for programs without a loop, in a thread of its own beside the server's loop."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import TypeVar

import pytest

from chatd.client import ApiError, AsyncClient, Client
from chatd.client.events import StatusChanged
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.support.served import Served, served
from tests.words import says, step

T = TypeVar("T")


async def beside(server: Served, work: Callable[[Client], T]) -> T:
    def run() -> T:
        with Client(server.address, server.token) as client:
            return work(client)

    return await asyncio.to_thread(run)


async def test_calls_wait_for_their_answers(store: Store) -> None:
    def work(client: Client) -> list[str]:
        chat = client.create_chat("hello", title="Planets")
        client.send(chat.id, "and more", key="a")
        assert client.send(chat.id, "and more", key="a").queued_message is not None
        assert [row.key for row in client.chat(chat.id).queue] == ["a"]
        assert [c.title for c in client.chats().chats] == ["Planets"]
        assert client.alive().status == "ok"
        with pytest.raises(ApiError, match="There is no chat"):
            client.chat("nothing")
        return [message.text for message in client.history(chat.id)]

    async with served(store) as server:
        assert await beside(server, work) == ["hello"]


async def test_a_stream_is_a_plain_iterator(store: Store) -> None:
    loop = asyncio.get_running_loop()

    async with served(store) as server:

        def work(client: Client) -> list[str]:
            chat = client.create_chat("hello")
            statuses = []
            for event in client.stream(chat.id):
                if isinstance(event, StatusChanged):
                    statuses.append(event.status)
                    if event.status == "waiting":
                        break
                    answered = server.happens(chat.id, step(says("hi")), FinishTurn())
                    asyncio.run_coroutine_threadsafe(answered, loop).result()
            return statuses

        assert await beside(server, work) == ["running", "waiting"]


async def test_nothing_is_left_behind(store: Store) -> None:
    async with served(store) as server:
        await beside(server, lambda client: client.alive())

    assert [thread.name for thread in threading.enumerate() if thread.name == "chatd client"] == []


def test_a_client_that_was_not_entered_says_so_and_does_not_hang() -> None:
    with pytest.raises(AssertionError, match="context manager"):
        Client("http://127.0.0.1:9", "t").alive()


def test_both_clients_offer_the_same() -> None:
    def offered(client: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(client, inspect.isfunction)
            if not name.startswith("_")
        }

    assert offered(Client) == offered(AsyncClient)
    assert "create_chat" in offered(Client)
