"""Which chats have an advisor, and on which terms: one answer for the tool and the guidance."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.agent.advisor.advising import Advising, may_consult
from chatd.agent.advisor.words import GUIDANCE
from chatd.agent.toolboxes.availability import AVAILABLE
from chatd.catalog.documents import ADVISOR, Advisor
from chatd.domain.ids import ChatId
from chatd.domain.message import Effort
from chatd.domain.profile.chat_kind import ChatKind
from chatd.domain.setup import Setup
from chatd.kit.clock import SystemClock
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.advisor import OUTPUT_TOKENS, Terms
from tests.agent.prompts.test_system_prompt import CHAT
from tests.catalog.world import ONE, World, catalogued
from tests.traceability import proves

MODEL = ScriptedModel(SystemClock())
ON = Advisor(enabled=True)
CHILD = replace(CHAT, parent_id=ChatId("parent"))
NORMAL, PLAN = Setup(), Setup(mode="plan")


@pytest.fixture
async def world(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[World]:
    async with catalogued(sqlite_template, tmp_path) as world:
        yield world


async def configured(world: World, config: Advisor) -> Advising:
    await world.catalog_store.documents.save(ADVISOR, config)
    return Advising(world.catalog)


@proves("advisor", 1)
async def test_it_is_off_until_an_administrator_switches_it_on(world: World) -> None:
    off = await configured(world, Advisor(max_uses_per_turn=3, model="desk/one"))
    assert await off.tools(CHAT, MODEL, NORMAL) == ()
    assert await off.guidance(CHAT, MODEL, NORMAL) == ""

    assert await Advising(world.catalog).terms(CHAT, NORMAL) is None


@proves("advisor", 2)
async def test_a_chat_that_has_one_has_the_tool_and_the_guidance(world: World) -> None:
    advising = await configured(world, ON)

    (tool,) = await advising.tools(CHAT, MODEL, NORMAL)

    assert (tool.name, tool.exclusive) == ("advisor", True)
    assert await advising.guidance(CHAT, MODEL, NORMAL) == GUIDANCE


@proves("advisor", 3)
@pytest.mark.parametrize("kind", ChatKind)
def test_children_have_it_where_that_is_wanted_and_chats_that_plan_or_explore_never(kind: ChatKind) -> None:
    for_children = replace(ON, for_children=True)

    assert may_consult(ON, kind) is (kind is ChatKind.ROOT)
    assert may_consult(for_children, kind) is (kind in {ChatKind.ROOT, ChatKind.GENERAL_CHILD})
    assert not may_consult(Advisor(for_children=True), kind)
    # What the table of tools does not let through is not told of either.
    assert kind in AVAILABLE["advisor"] or not may_consult(for_children, kind)


@proves("advisor", 3)
async def test_the_tool_and_the_guidance_are_never_told_apart(world: World) -> None:
    for config in (ON, replace(ON, for_children=True), Advisor()):
        advising = await configured(world, config)
        for chat in (CHAT, CHILD):
            for setup in (NORMAL, PLAN):
                has_tool = bool(await advising.tools(chat, MODEL, setup))
                assert bool(await advising.guidance(chat, MODEL, setup)) is has_tool


@proves("advisor", 4)
async def test_a_stored_limit_that_is_negative_takes_it_away(world: World) -> None:
    advising = await configured(world, replace(ON, max_uses_per_turn=-1))

    assert await advising.terms(CHAT, NORMAL) is None


async def test_what_cannot_be_read_takes_it_away(world: World) -> None:
    await world.db.write(lambda tx: tx.run("save_setting", ADVISOR, "not JSON"))

    assert await Advising(world.catalog).terms(CHAT, NORMAL) is None


@proves("advisor", 13, 19)
async def test_its_terms_are_those_that_were_set(world: World) -> None:
    advising = await configured(world, replace(ON, max_uses_per_turn=3))
    assert await advising.terms(CHAT, NORMAL) == Terms(uses_max=3, max_output_tokens=OUTPUT_TOKENS)

    config = replace(ON, model="desk/one", reasoning_effort=Effort.HIGH, max_output_tokens=500)
    advising = await configured(world, config)
    assert await advising.terms(CHAT, NORMAL) == Terms(
        model="desk/one", effort=Effort.HIGH, max_output_tokens=500
    )
    assert OUTPUT_TOKENS == 16_384


@proves("advisor", 14)
async def test_for_a_model_that_was_switched_off_or_removed_the_model_of_the_chat_advises(
    world: World,
) -> None:
    advising = await configured(world, replace(ON, model="desk/one", reasoning_effort=Effort.HIGH))

    await world.catalog_store.change_model(ONE.id, lambda each: replace(each, enabled=False))
    assert await advising.terms(CHAT, NORMAL) == Terms()

    await world.catalog_store.delete_model(ONE.id)
    assert await advising.terms(CHAT, NORMAL) == Terms()


@proves("advisor", 38)
async def test_a_change_is_heard_by_other_processes(world: World) -> None:
    advising = await configured(world, ON)
    assert await advising.terms(CHAT, NORMAL) == Terms()

    await world.catalog_store.documents.save(ADVISOR, replace(ON, max_uses_per_turn=2))

    assert await advising.terms(CHAT, NORMAL) == Terms(uses_max=2)
