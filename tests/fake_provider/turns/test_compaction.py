"""An administrator may choose one model that sums up for all others."""

from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from chatd.catalog.documents import COMPACTION, Compaction
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.domain.ids import ChatId
from chatd.domain.message import Message
from chatd.domain.part import Json, ToolResult
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from tests.conftest import OWNER
from tests.fake_provider.places import model_at
from tests.fake_provider.script import Counts, Page, Search, answer, say
from tests.fake_provider.turns.stories import THREE_STEPS
from tests.fake_provider.turns.world import ProviderWorld, working
from tests.fake_provider.wires.anthropic import Messages
from tests.fake_provider.wires.chat import Chat
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.responses import Responses
from tests.traceability import proves
from tests.words import words_of

MOON = Page("https://example.com/moon", "The moon")


async def choose(world: ProviderWorld, model: str) -> None:
    await world.catalog_store.documents.save(COMPACTION, Compaction(model=model))


async def add_a_model_that_is_switched_off(world: ProviderWorld) -> None:
    """It is called off/one."""
    provider = Provider(
        id="off", name="off", type=ProviderType.OPENAI_COMPATIBLE, base_url="http://127.0.0.1:9/v1"
    )
    await world.catalog_store.add_provider(provider, None)
    model = ModelConfig(id="off-one", provider_id="off", model="one", context_limit=1000, enabled=False)
    await world.catalog_store.add_model(model)


async def compact(world: ProviderWorld) -> list[Message]:
    await world.tell(RequestCompaction())
    await world.until_idle()
    return [message for message in await world.messages() if message.compressed]


@proves("loop", 34, 36)
async def test_the_chosen_model_sums_up_and_the_chat_goes_on_with_its_own(folder: Path) -> None:
    async with working(folder) as world:
        await choose(world, model_at("chat"))
        world.fake.will_say(
            answer(Search("s", "tides", (MOON,)), say("The moon.")),
            answer(say("Tides.")),
            answer(say("Yes.")),
        )
        await world.ask("anthropic", "What makes the tides?")
        summary = await compact(world)
        await world.ask("anthropic", "Sure?")

        # What the other provider has found is told in words.
        assert "https://example.com/moon" in world.asked[1].raw.decode()
        assert world.fake.refused == []
        assert [asked.wire for asked in world.asked] == ["anthropic", "chat", "anthropic"]
        assert {message.model for message in summary} == {model_at("chat")}


async def test_what_a_summary_took_is_charged_to_the_chat_with_the_model_that_made_it(folder: Path) -> None:
    async with working(folder) as world:
        await choose(world, model_at("chat"))
        world.fake.will_say(
            answer(say("The moon.")), replace(answer(say("Tides.")), counts=Counts(fresh=777))
        )
        await world.ask("anthropic", "What makes the tides?")
        before = (await world.stored()).chat.totals
        summary = await compact(world)

        stored = await world.stored()
        (charge,) = stored.charges
        assert (charge.operation, charge.fate, charge.model) == ("summary", "used", model_at("chat"))
        assert charge.usage is not None
        assert charge.usage.input_tokens >= 777
        assert stored.chat.totals.usage.input_tokens == before.usage.input_tokens + charge.usage.input_tokens
        # It has no usage of its own: what it took is counted once.
        assert [message.usage for message in summary] == [None] * 3
        # People still see everything that was said.
        assert [words_of(m) for m in stored.messages if not m.compressed] == [
            "user: What makes the tides?",
            "assistant: The moon.",
        ]


@proves("loop", 35)
@pytest.mark.parametrize("unusable", ["chat/gone", "nobody/knows", "unkeyed/large", "off/one", "", None])
async def test_a_choice_that_cannot_be_used_any_more_leaves_it_to_the_model_of_the_chat(
    folder: Path, unusable: str | None
) -> None:
    async with working(folder) as world:
        if unusable is not None:
            await add_a_model_that_is_switched_off(world)
            await choose(world, unusable)
        world.fake.will_say(answer(say("The moon.")), answer(say("Tides.")))
        await world.ask("anthropic", "What makes the tides?")
        summary = await compact(world)

        assert {message.model for message in summary} == {model_at("anthropic")}


@proves("loop", 35)
async def test_a_choice_that_cannot_be_read_leaves_it_to_the_model_of_the_chat(folder: Path) -> None:
    async with working(folder) as world:
        await world.db.write(lambda tx: tx.run("save_setting", COMPACTION, '{"model": 5}'))
        world.fake.will_say(answer(say("The moon.")), answer(say("Tides.")))
        await world.ask("anthropic", "What makes the tides?")
        summary = await compact(world)

        assert {message.model for message in summary} == {model_at("anthropic")}


async def test_a_summary_tells_people_how_full_it_was(folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(answer(say("The moon.")), answer(say("Tides.")))
        await world.ask("anthropic", "What makes the tides?")
        used = (await world.messages())[-1].usage
        _, call, result = await compact(world)

        assert used is not None
        [shown] = result.content
        assert isinstance(shown, ToolResult)
        assert shown.result == {
            "summary": "Tides.",
            "source": "manual",
            "threshold_percent": 70,
            "context_tokens": used.prompt_tokens,
            "context_limit_tokens": used.context_limit,
            "usage_percent": used.prompt_tokens * 100 // used.context_limit,
        }
        assert call.runtime_ms is not None


async def test_a_threshold_of_the_user_counts_before_that_of_the_model(folder: Path) -> None:
    async with working(folder) as world:
        documents = world.catalog_store.documents
        await documents.change_thresholds_of(OWNER, {model_at("chat"): 1})
        half_full = replace(answer(say("Full.")), counts=Counts(fresh=150_000))
        world.fake.will_say(half_full, answer(say("Summed up.")), answer(say("Room again.")))
        await world.ask("chat", "Fill it.")
        await world.ask("chat", "And now?")
        assert (await world.stored()).chat.projection.boundary > 0

        await documents.change_thresholds_of(OWNER, {model_at("chat"): 100})
        world.fake.will_say(half_full, answer(say("No summary.")))
        await world.ask("chat", "Fill it.", chat_id=ChatId("other"))
        await world.ask("chat", "And now?", chat_id=ChatId("other"))
        assert (await world.stored(ChatId("other"))).chat.projection.boundary == 0


# What the prompt of a request begins with, and where the conversation follows.
BEGINNINGS: Final = {
    Messages.name: (("tools", "system", "thinking", "tool_choice"), "messages"),
    Responses.name: (("tools", "instructions"), "input"),
    Chat.name: (("tools",), "messages"),
    Converse.name: (("toolConfig", "system"), "messages"),
}


@pytest.mark.parametrize("place", BEGINNINGS)
async def test_a_summary_is_asked_for_with_a_prompt_that_the_provider_has_cached(
    folder: Path, place: str
) -> None:
    """A choice of no tools is kept out where it would void what is cached of the conversation."""
    async with working(folder, system=("Be brief.",)) as world:
        world.fake.will_say(*THREE_STEPS, answer(say("Tides.")))
        await world.ask(place, "What makes the tides?")
        await compact(world)

        *_, before, summary = world.asked
        beginning, conversation = BEGINNINGS[place]
        for field in beginning:
            assert summary.body.get(field) == before.body.get(field), field
        cached = unmarked(before.body[conversation])
        assert unmarked(summary.body[conversation])[: len(cached)] == cached
        assert world.fake.refused == []


def unmarked(value: Json) -> Any:
    """Without the marks of what is to be cached, which move on."""
    match value:
        case dict():
            return {name: unmarked(each) for name, each in value.items() if name != "cache_control"}
        case list():
            return [unmarked(each) for each in value]
        case _:
            return value
