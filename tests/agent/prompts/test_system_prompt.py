"""The system prompt: named parts in one order."""

import pytest

from chatd.agent.prompts.base import BASE
from chatd.agent.prompts.fit_parts import BYTES_PER_TOKEN, FLOOR_BYTES, SHARE_PERCENT, fitting
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, PromptPart, SaidPart, SystemPrompt
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.setup import Setup
from chatd.kit.clock import SystemClock
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.calls.truncate import MARKER_BYTES

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


def test_what_may_be_shortened_loses_its_middle_where_the_model_has_no_room() -> None:
    long, short = "a" * 30_000 + "the end", "Be brief."

    shorter, kept = fitting(["x" * 2_000], [long, short], 4_000)

    assert kept == short
    assert shorter.startswith("aaa")
    assert shorter.endswith("the end")
    assert "bytes of these instructions are left out" in shorter
    assert len(shorter) + len(short) + 2_000 <= 4_000 * BYTES_PER_TOKEN * SHARE_PERCENT // 100


def test_nothing_is_shortened_where_there_is_room_or_none_is_known() -> None:
    texts = ("a" * 30_000, "Be brief.")

    assert fitting(["x" * 2_000], texts, 200_000) == texts
    assert fitting(["x" * 2_000], texts, 0) == texts


def test_what_is_not_to_be_shortened_leaves_the_rest_a_little_room() -> None:
    (left,) = fitting(["x" * 100_000], ["a" * 30_000], 4_000)

    assert FLOOR_BYTES - MARKER_BYTES <= len(left) <= FLOOR_BYTES
