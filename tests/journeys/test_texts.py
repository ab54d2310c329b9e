"""Stories of texts about chats: a real server, and what people see of them."""

import asyncio
import sys
from pathlib import Path

from tests.journeys.server import Server, is_idle, served, until

SCRIPT = "for title say Moons of Jupiter\nfor label say Named four moons\nsay Io."


async def chatd(server: Server, *words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chatd", *words, "--url", server.address, "--token", server.token,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode()


async def test_a_chat_gets_its_name_and_a_killed_server_leaves_it(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        await client.change_settings(turn_labels=True)
        chat = await client.create_chat(SCRIPT)
        named = await until(client, chat.id, lambda chat: chat.title_by == "model")
        assert (named.title, named.last_turn_summary) == ("Moons of Jupiter", "Named four moons")
        assert "Moons of Jupiter  · Named four moons" in await chatd(server, "ls")

        await server.kill()
        await server.start()
        again = await client.chat(chat.id)
        assert (again.title, again.last_turn_summary) == ("Moons of Jupiter", "Named four moons")
        assert again.updated_at == named.updated_at


async def test_a_person_names_a_chat_and_has_a_model_name_it(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("say Io.", title="Mine")
        await until(client, chat.id, is_idle)
        assert await chatd(server, "title", chat.id) == "Mine\n"
        assert await chatd(server, "title", chat.id, "Ours") == "Ours\n"
        assert await chatd(server, "title", chat.id, "--propose") == "say Io\n"
        assert (await client.chat(chat.id)).title == "Ours"
        assert await chatd(server, "title", chat.id, "--regenerate") == "say Io\n"
        assert (await client.chat(chat.id)).title_by == "model"


async def test_a_server_stops_at_once_in_the_middle_of_a_text(tmp_path: Path) -> None:
    server = Server(tmp_path)
    await server.start()
    async with server.client() as client:
        await client.change_settings(turn_labels=True)
        chat = await client.create_chat("for label wait 25\nfor title say Moons of Jupiter\nsay Io.")
        await until(client, chat.id, is_idle)
        began = asyncio.get_running_loop().time()
        assert await server.stop() == 0
        # Less than the text would have taken; how much less depends on the machine.
        assert asyncio.get_running_loop().time() - began < 20
