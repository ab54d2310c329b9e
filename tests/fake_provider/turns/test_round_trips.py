"""Conversations through the whole server: what a model said goes back to it exactly, and to no other."""

import base64
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from chatd.domain.chat import Status
from chatd.domain.part import Reasoning, Source, Text, ToolCall, ToolResult
from tests.fake_provider.places import DIALECTS, PLACES, STORED
from tests.fake_provider.script import answer, say, think
from tests.fake_provider.turns.replays import sent_back, wanted
from tests.fake_provider.turns.stories import ELSEWHERE, PAGES, THREE_STEPS
from tests.fake_provider.turns.world import PNG, ProviderWorld, working
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.responses import Responses
from tests.fake_provider.wires.wire import Asked, opaque_in
from tests.traceability import proves

# The one that keeps its answers is told them by name only.
REPLAYED = [place for place in PLACES if place != STORED]
SAME_DIALECT = [(Messages.name, Invoke.name), (Chat.name, OpenRouter.name), (Responses.name, STORED)]
CHANGES = [*permutations(DIALECTS, 2), *SAME_DIALECT, *((b, a) for a, b in SAME_DIALECT)]


def nothing_was_refused(world: ProviderWorld) -> None:
    assert [(asked.number, words) for asked, words in world.fake.refused] == []


@proves("model-layer", 8, 15, 16, 17)
@pytest.mark.parametrize("place", REPLAYED)
async def test_everything_that_a_model_said_goes_back_to_it_exactly(place: str, folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(*THREE_STEPS, answer(say("You are welcome.")))

        chat = await world.ask(place, "What makes the tides? Look at this picture.", picture=True)
        await world.ask(place, "Thank you.")

        nothing_was_refused(world)
        assert chat.status is Status.WAITING
        first, *later = world.asked
        assert sent_back(first) == []
        assert base64.b64encode(PNG) in first.raw
        said = [
            wanted(world.fake, asked, step) for asked, step in zip(world.asked, THREE_STEPS, strict=False)
        ]
        for number, asked in enumerate(later, 1):
            assert sent_back(asked) == [item for each in said[:number] for item in each]


@pytest.mark.parametrize("place", PLACES)
async def test_people_see_what_was_said_by_every_provider(place: str, folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(*THREE_STEPS)

        await world.ask(place, "What makes the tides?")

        parts = [part for message in await world.messages() for part in message.content]
        # One without words may carry a seal.
        assert [part.text for part in parts if isinstance(part, Text) and part.text] == [
            "What makes the tides?",
            "Let me look, \N{EYES}.",
            "The moon does it.",
            "It is the moon.",
        ]
        # Where nothing is heard of a search, the thoughts around it are one.
        thoughts = "".join(part.text for part in parts if isinstance(part, Reasoning))
        assert thoughts == "Two things at once.I should search.Now I know.Enough."
        sources = {part.url for part in parts if isinstance(part, Source)}
        assert "https://tides.example/moon" in sources
        calls = [part for part in parts if isinstance(part, ToolCall) and not part.provider_executed]
        assert [(call.tool_name, call.args) for call in calls] == [
            ("echo", {"text": "größer"}),
            ("remember", {"text": "later", "seconds": 0}),
            ("echo", {"text": "moon"}),
        ]
        results = [part for part in parts if isinstance(part, ToolResult) and not part.provider_executed]
        assert [part.is_error for part in results] == [False] * 3


@proves("model-layer", 34, 36)
@pytest.mark.parametrize(("here", "there"), CHANGES)
async def test_a_chat_that_changes_its_provider_takes_nothing_sealed_along(
    here: str, there: str, folder: Path
) -> None:
    async with working(folder) as world:
        world.fake.will_say(
            *THREE_STEPS, *ELSEWHERE, answer(think("Back.", seal="eighth"), say("Here again."))
        )

        await world.ask(here, "What makes the tides? Look at this picture.", picture=True)
        at_home, sealed_here = len(world.asked), sealed(world)
        await world.ask(there, "And what else?")
        away = len(world.asked)
        sealed_there = sealed(world) - sealed_here
        chat = await world.ask(here, "Are you sure?")

        nothing_was_refused(world)
        assert chat.status is Status.WAITING
        for asked in world.asked[at_home:away]:
            assert [seal for seal in sealed_here if seal.encode() in asked.raw] == []
            if "previous_response_id" in asked.body:
                continue  # The rest was said before.
            # What was said in words is there, and so are the calls and the picture.
            assert b"It is the moon." in asked.raw
            assert "größer".encode() in asked.raw
            assert base64.b64encode(PNG) in asked.raw
        back = world.asked[-1]
        assert [seal for seal in sealed_there if seal.encode() in back.raw] == []
        assert b"The sun helps." in back.raw
        restored_everything(world, back, at_home)


def sealed(world: ProviderWorld) -> set[str]:
    """Everything that was given out so far and that only its provider understands."""
    return {seal for wire in world.fake.wires.values() for seal in wire.given}


def restored_everything(world: ProviderWorld, asked: Asked, at_home: int) -> None:
    """Back home, what was said here first is as it was."""
    if asked.body.get("store"):
        # By name: every item that was kept and cannot be said again, or belongs to one.
        kept = [item["id"] for item in asked.body["input"] if item["type"] == "item_reference"]
        assert kept == [
            item["id"]
            for home, step in zip(world.asked[:at_home], THREE_STEPS, strict=True)
            for before, item in pairwise([{}, *world.fake.wires[home.wire].whole(step, home)["output"]])
            if item["type"] in {"reasoning", "web_search_call"}
            or (item["type"] == "message" and before.get("type") == "reasoning")
        ]
        return
    said = [
        item
        for home, step in zip(world.asked[:at_home], THREE_STEPS, strict=True)
        for item in wanted(world.fake, home, step)
    ]
    assert sent_back(asked)[: len(said)] == said
    assert set(opaque_in(asked.body)) == set(opaque_in(said))


async def test_openrouter_searches_the_web_for_any_model_and_tells_its_sources(folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(*THREE_STEPS)

        await world.ask(OpenRouter.name, "What makes the tides?")

        nothing_was_refused(world)
        told = {
            "type": "openrouter:web_search",
            "parameters": {"excluded_domains": ["spam.example"], "max_results": 3},
        }
        assert [tool for tool in world.asked[0].body["tools"] if "function" not in tool] == [told]
        messages = await world.messages()
        sources = [part.url for m in messages for part in m.content if isinstance(part, Source)]
        # The one that it cites.
        assert sources == [PAGES[0].url]
        assert sum(m.usage.web_searches for m in messages if m.usage is not None) == 1
