"""The system prompt: named parts in one order."""

import pytest

from chatd.agent.prompts.base import BASE
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, PromptPart, SaidPart, SystemPrompt
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.setup import Setup
from chatd.kit.clock import SystemClock
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel

CHAT = Chat(id=ChatId("chat"), owner_id=UserId("owner"), created_at=Micros(0), updated_at=Micros(0))


def says(name: str, text: str, *, of_deployment: bool = False) -> PromptPart:
    async def part(_: Chat, __: Model, ___: Setup) -> str:
        return text

    return PromptPart(name, part, of_deployment=of_deployment)


async def test_parts_keep_their_order_and_one_that_says_nothing_is_left_out() -> None:
    prompt = SystemPrompt(
        [says("first", "One.", of_deployment=True), says("second", " \n"), INSTRUCTIONS, says("last", "Two.")]
    )
    setup, model = Setup(instructions="Be brief."), ScriptedModel(SystemClock())

    assert await prompt.said(CHAT, model, setup) == (
        SaidPart(name="first", text="One.", of_deployment=True),
        SaidPart(name="instructions", text="Be brief."),
        SaidPart(name="last", text="Two."),
    )
    assert await prompt.texts(CHAT, model, Setup()) == ("One.", "Two.")


def test_two_parts_cannot_have_the_same_name() -> None:
    with pytest.raises(AssertionError, match="same name"):
        SystemPrompt([says("a", "One."), says("a", "Two.")])


def test_our_own_words_are_short() -> None:
    assert len(BASE) < 3000
