"""Calls whose arguments do not fit, through the whole engine: nothing runs, and the agent goes on."""

from collections.abc import Sequence

import pytest

from chatd.domain.call import CallState
from chatd.domain.message import Message, Role
from chatd.domain.part import Json, ToolCall, ToolResult
from chatd.providers.request.pairing import Taken
from chatd.providers.request.prepare import prepare
from chatd.providers.request.wire_turn import Called
from tests.providers.histories import TARGET
from tests.traceability import proves
from tests.worker.worlds.world import World, tell


def args_in_next_prompt(messages: Sequence[Message]) -> list[Json]:
    """The arguments of the calls as a provider gets them, which takes nothing but objects."""
    turns = prepare(messages, TARGET, {}, Taken()).turns
    return [part.args for turn in turns for part in turn.parts if isinstance(part, Called)]


@proves("tools", 6, 7, 8)
@pytest.mark.parametrize(
    ("written", "why", "stored"),
    [
        ('raw {"text": ', "no valid JSON", '{"text":'),
        ('raw {"text": "a", "text": "b"}', "the key 'text' is there twice", '{"text": "a", "text": "b"}'),
        ('{"text": "a", "Text": "b"}', "differs from `text` only by letter case", {"text": "a", "Text": "b"}),
    ],
)
def test_nothing_runs_the_error_is_stored_and_the_agent_goes_on(
    written: str, why: str, stored: object
) -> None:
    async def story(world: World) -> None:
        await world.start(f"call @a echo {written}\nnext\nsay I see.")
        await world.until_idle()

        assert world.witness.lines == []
        found = await world.stored()
        spoken = [m.content[-1] for m in found.messages if m.role in (Role.ASSISTANT, Role.TOOL)]
        said, answer, _ = spoken
        assert isinstance(said, ToolCall)
        assert said.args == stored
        assert isinstance(answer, ToolResult)
        assert answer.is_error
        assert why in answer.result["error"]
        assert [call.state for call in found.calls] == [CallState.ANSWERED]
        assert (await world.transcript())[-1] == "assistant: I see."
        assert all(isinstance(args, dict) for args in args_in_next_prompt(found.messages))

    tell(story)
