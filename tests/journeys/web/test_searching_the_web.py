"""Stories of searches that a provider makes itself: a real server, and a provider that speaks each wire."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from chatd.client.answers import Part
from chatd.client.asynchronous import AsyncClient
from chatd.domain.part import Json
from tests.fake_provider.places import KEY, PLACES, model_at
from tests.fake_provider.script import Search, answer, say, think
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.turns.replays import sent_back, wanted
from tests.fake_provider.turns.stories import PAGES
from tests.fake_provider.wires.anthropic import Messages
from tests.fake_provider.wires.chat import OpenRouter
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses
from tests.journeys.server import Server, is_idle, served, until
from tests.journeys.web.test_using_the_web import parts_of

SEARCHES = answer(
    think("I should search.", seal="first"),
    Search("s1", "tides", PAGES),
    say("The moon ", "does it.", citing=PAGES[:1]),
)
THANKS = answer(say("You are welcome."))

# What the provider is offered in a request, by the name of the wire, beside our own tools.
OFFERED: Final[Mapping[str, dict[str, Json]]] = {
    Messages.name: {"type": "web_search_20250305", "name": "web_search"},
    Responses.name: {"type": "web_search"},
    OpenRouter.name: {"type": "openrouter:web_search"},
    Gemini.name: {"googleSearch": {}},
}
# What the search is called, where it is told itself, and not only the pages that are cited.
TOLD: Final = {
    Messages.name: ["web_search"],
    Responses.name: ["web_search"],
    OpenRouter.name: [],
    Gemini.name: ["web_search"],
}

SETTINGS = """\
[[providers]]
name = "{place}"
type = "{type}"
base_url = "{address}"
api_key = "{key}"

[[models]]
provider = "{place}"
model = "{model}"
context_limit = 100000
options = {{ {options} = {{ web_search_enabled = true }} }}
"""
OPTIONS: Final = {
    Messages.name: "anthropic",
    Responses.name: "openai",
    OpenRouter.name: "openrouter",
    Gemini.name: "google",
}


def is_search(tool: dict[str, Json], place: str) -> bool:
    return tool == {**tool, **OFFERED[place]}


@asynccontextmanager
async def searching(folder: Path, place: str, fake: FakeProvider) -> AsyncIterator[Server]:
    there = PLACES[place]
    (folder / "chatd.toml").write_text(
        SETTINGS.format(
            place=place,
            type=there.type.value,
            address=fake.address + there.base,
            key=KEY,
            model=there.model,
            options=OPTIONS[place],
        )
    )
    async with served(folder, env={"CHATD_CONFIG": str(folder / "chatd.toml")}) as server:
        yield server


async def messages_as_sent(server: Server, chat_id: str) -> str:
    """With every field, also one that a client does not know."""
    headers = {"authorization": f"Bearer {server.token}"}
    async with (
        aiohttp.ClientSession(server.address, headers=headers) as session,
        session.get(f"/api/v1/chats/{chat_id}/messages") as response,
    ):
        return await response.text()


def suggestions(results: list[Part]) -> list[str]:
    return [r.result["search_suggestions"] for r in results if "search_suggestions" in (r.result or {})]


async def say_to(client: AsyncClient, chat_id: str, words: str) -> None:
    await client.send(chat_id, words)
    await until(client, chat_id, is_idle)


@pytest.mark.parametrize("place", OFFERED)
async def test_a_search_is_offered_shown_kept_and_told_to_its_provider_again(
    tmp_path: Path, place: str
) -> None:
    async with FakeProvider(SEARCHES, THANKS) as fake, searching(tmp_path, place, fake) as server:
        async with server.client() as client:
            (model,) = [each for each in await client.models() if each.name == model_at(place)]
            assert model.web_search
            chat = await client.create_chat("What makes the tides?", title="Tides", model=model_at(place))
            await until(client, chat.id, is_idle)
        await server.kill()
        await server.start()
        async with server.client() as client:
            parts = await parts_of(client, chat.id)
            calls = [part for part in parts if part.type == "tool-call"]
            results = [part for part in parts if part.type == "tool-result"]
            assert [call.tool_name for call in calls] == TOLD[place]
            assert [call.tool_call_id for call in calls] == [result.tool_call_id for result in results]
            assert {call.kind for call in calls} <= {"provider"}
            sources = {(part.url, part.title) for part in parts if part.type == "source"}
            assert (PAGES[0].url, PAGES[0].title) in sources
            assert "".join(part.text or "" for part in parts if part.type == "text") == "The moon does it."
            usage = [message.usage async for message in client.history(chat.id) if message.usage]
            assert [each["web_searches"] for each in usage] == [1]
            # What only the provider understands is for nobody else. Google's suggestions are for people.
            shown = await messages_as_sent(server, chat.id)
            sealed = fake.wires[place].given - set(suggestions(results)) - {c.tool_call_id for c in calls}
            assert [seal for seal in sealed if seal in shown] == []
            await say_to(client, chat.id, "Thank you.")

        assert fake.refused == []
        first, second = fake.asked
        assert is_search(first.body["tools"][-1], place)
        assert second.body["tools"] == first.body["tools"]
        assert sent_back(second) == wanted(fake, first, SEARCHES)


@pytest.mark.parametrize("place", OFFERED)
async def test_a_chat_that_plans_is_offered_no_search(tmp_path: Path, place: str) -> None:
    async with FakeProvider(THANKS) as fake, searching(tmp_path, place, fake) as server:
        async with server.client() as client:
            chat = await client.create_chat("Thank you.", title="Tides", model=model_at(place), mode="plan")
            await until(client, chat.id, is_idle)

        (asked,) = fake.asked
        assert not any(is_search(tool, place) for tool in asked.body["tools"])
