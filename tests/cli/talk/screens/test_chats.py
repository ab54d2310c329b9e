"""Going from chat to chat on a real screen, and what the line of status tells of one."""

from pathlib import Path

from chatd.client import AsyncClient
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store
from tests.cli.caller import typing
from tests.cli.talk.screens.words import ROWS, a_chat, hearing, leaves
from tests.support.served import served
from tests.words import says, step


async def test_the_line_of_status_tells_the_model_and_what_the_agent_does(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.matches(r"thinking \d+ s · some/model · Name a planet. · /help")
            await server.happens(chat_id, step(says("Mars.")), FinishTurn())
            await person.shows("Mars.", ">")
            await person.matches("some/model · Name a planet. · /help")
            await leaves(person)


async def test_another_chat_is_gone_to_and_a_new_one_begun(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "The first chat.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        async with typing(tmp_path, server, "chat", "--continue", rows=ROWS) as person:
            await person.shows("Mars.", ">")
            person.type("/new\r")
            await person.shows("A new chat: it begins with your next message.", ">")
            person.type("The second chat.\r")
            await person.shows("> The second chat.")
            person.type(f"/resume {chat_id[:13]}\r")
            await person.shows("Here is “The first chat.”.", "", "> The first chat.", "Mars.", ">")
            await leaves(person)


async def test_the_newest_chat_is_gone_on_in_also_where_an_older_one_is_pinned(
    store: Store, tmp_path: Path
) -> None:
    async with served(store) as server, AsyncClient(server.address, server.token) as client:
        older = await a_chat(server, "The older chat.")
        await client.change_chat(older, pin_order=1)
        newer = await a_chat(server, "The newer chat.")
        await server.happens(newer, step(says("Mars.")), FinishTurn())
        async with typing(tmp_path, server, "chat", "-c", rows=ROWS) as person:
            await person.shows("> The newer chat.", "Mars.", ">")
            await leaves(person)


async def test_the_last_message_is_changed_and_run_again(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        async with typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person:
            await person.shows("Mars.", ">")
            person.type("/edit\r")
            await person.shows("edit> Name a planet.")
            person.type("\x15Name a moon.\r")
            await server.until_status(chat_id, "running")
            await person.matches("Another branch of the chat.*")
            await person.shows("> Name a moon.")
            await leaves(person)


async def test_a_branch_that_is_switched_elsewhere_is_followed(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server, "Name a planet.")
        await server.happens(chat_id, step(says("Mars.")), FinishTurn())
        async with (
            typing(tmp_path, server, "chat", chat_id, rows=ROWS) as person,
            AsyncClient(server.address, server.token) as client,
        ):
            await person.shows("Mars.", ">")
            (asked,) = await client.prompts(chat_id)
            await client.edit(chat_id, asked.id, "Name a moon.")
            await server.happens(chat_id, step(says("Io.")), FinishTurn())
            await person.shows("> Name a moon.", "Io.", ">")
            await client.switch_branch(chat_id, 1)
            await person.shows("> Name a planet.", "Mars.", ">")
            await leaves(person)


async def test_who_leaves_is_told_how_to_come_back(store: Store, tmp_path: Path) -> None:
    async with served(store) as server:
        chat_id = await a_chat(server)
        async with typing(tmp_path, server, "chat", chat_id[:13], rows=ROWS) as person:
            await person.shows("> hello", "…>")
            person.type("\x04")
            await person.shows("The agent goes on without you.", f"To come back: chatd chat {chat_id}")
            assert await person.leaves() == 0


async def test_who_leaves_a_chat_that_was_deleted_is_not_told_how_to_come_back(
    store: Store, tmp_path: Path
) -> None:
    async with hearing(store, tmp_path) as (server, chat_id, person):
        await person.shows("…>")
        async with AsyncClient(server.address, server.token) as client:
            await client.delete_chat(chat_id)
        await person.shows("The chat was deleted.", ">")
        await leaves(person)
        assert not any("come back" in line or "goes on" in line for line in person.lines())
