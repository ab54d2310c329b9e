"""Where an agent works and what protects the rest, as a person is told who talks to it."""

from pathlib import Path

from chatd.cli.talk.showing.place import place_in_words
from chatd.client import AsyncClient
from chatd.storage.transactions.transact import Store
from chatd.workspaces.places import Places
from tests.support.served import served


async def test_a_new_chat_works_where_it_is_told_to_or_where_the_server_does(
    store: Store, tmp_path: Path
) -> None:
    async with (
        served(store, places=Places(tmp_path)) as server,
        AsyncClient(server.address, server.token) as client,
    ):
        assert await place_in_words(client, None) == f"The agent works in {tmp_path}. No command runs."
        assert await place_in_words(client, None, "inner") == "The agent works in inner. No command runs."


async def test_a_chat_works_where_it_always_did_or_nowhere(store: Store, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    async with (
        served(store, places=Places(tmp_path)) as server,
        AsyncClient(server.address, server.token) as client,
    ):
        there = await client.create_chat("hello", workspace="inner")
        nowhere = await client.create_chat("hello", workspace=None)

        assert await place_in_words(client, there) == f"The agent works in {tmp_path}/inner. No command runs."
        assert await place_in_words(client, nowhere) is None


async def test_a_chat_whose_workspace_is_not_there_any_more_says_so(store: Store, tmp_path: Path) -> None:
    async with (
        served(store, places=Places(tmp_path)) as server,
        AsyncClient(server.address, server.token) as client,
    ):
        chat = await client.create_chat("hello")
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        assert await place_in_words(client, chat) == "The server has no workspace."
        assert await place_in_words(client, None) is None
