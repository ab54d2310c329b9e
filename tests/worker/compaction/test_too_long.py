"""Summaries that a person asked for, and what is not summed up at all."""

from collections.abc import AsyncGenerator, Sequence

import pytest
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.compaction.summarize import NO_SUMMARY
from chatd.agent.services import AgentServices
from chatd.domain.call import Effect
from chatd.domain.chat import Chat
from chatd.domain.message import Visibility
from chatd.domain.part import Json, ToolResult
from chatd.domain.setup import Setup
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.usage.fullness import may_be_shortened
from chatd.providers import failures
from chatd.providers.events import Finished, Stop, StreamEvent, TextDelta
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.arguments import typed
from chatd.tools.history.read_message import read_message
from chatd.tools.tool import Media, Setting, Tool, touches_nothing
from chatd.tools.toolbox import Toolbox
from tests.support.narrow import SPEAK, NarrowModel, NarrowWorld, Step
from tests.support.same_tools import toolbox_with
from tests.worker.turns.test_failing import with_model
from tests.worker.worlds.world import World, tell


class Wordless(ScriptedModel):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.then:
            yield [TextDelta("  "), Finished(Stop.DONE)]
            return
        async for events in super().stream(request):
            yield events


class Unpaid(ScriptedModel):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.then:
            raise failures.failed("auth", provider="scripted")
        async for events in super().stream(request):
            yield events


@pytest.mark.parametrize(("model", "why"), [(Wordless, NO_SUMMARY), (Unpaid, "")])
def test_a_summary_that_was_asked_for_and_cannot_be_made_gives_nothing_up(
    model: type[ScriptedModel], why: str
) -> None:
    """There is room without it: the person is told, and the chat is as it was."""

    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        chat = await world.until_idle()

        assert chat.projection.boundary == 0
        *_, shown = (await world.stored()).messages
        assert (shown.visibility, shown.compressed) == (Visibility.USER, True)
        [result] = shown.content
        assert isinstance(result, ToolResult)
        assert result.is_error
        assert why in result.result["error"]

        await world.send("say Two.")
        await world.until_idle()
        assert (await world.transcript())[-1] == "assistant: Two."

    tell(story, make=with_model(model))


PICTURE = bytes(1_000_000)


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    pass


async def look(_: NoArguments, __: Setting) -> Json:
    return Media(data=PICTURE, media_type="image/png", text="a.png")


class SeeingWorld(World):
    """One whose only tool shows a picture that would be far too long if it were text."""

    def services(self) -> AgentServices:
        tool = Tool(
            name="look",
            description="",
            arguments=typed(NoArguments),
            effect=Effect.READ,
            run=look,
            touches=touches_nothing,
        )
        return replace(super().services(), toolbox_of=toolbox_with([tool]))


def test_a_picture_is_shown_to_the_model_and_not_summed_up() -> None:
    async def story(world: World) -> None:
        await world.start("call @seen look {}\nnext\nsay A cat.")
        chat = await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: A cat."
        assert chat.projection.boundary == 0
        assert [message.compressed for message in (await world.stored()).messages] == [False] * 4

    tell(story, make=SeeingWorld)


class Looking(NarrowWorld):
    """Its agents can look up what they are not shown, as those of a server."""

    def services(self) -> AgentServices:
        return replace(super().services(), toolbox_of=self._toolbox_of)

    async def _toolbox_of(self, chat: Chat, model: Model, _: Setup) -> Toolbox:
        looking = (read_message(self.db),) if may_be_shortened(chat.projection, model.context_limit) else ()
        return Toolbox([SPEAK, *looking])


@pytest.mark.parametrize("threshold", [70, 100])
def test_what_is_left_out_in_the_middle_of_a_turn_can_be_looked_up(threshold: int) -> None:
    async def story(world: World) -> None:
        assert isinstance(world, Looking)
        model = world.model = NarrowModel(threshold=threshold, limit=20_000)
        model.steps = [Step(calls=(("speak", {"bytes": 30_000}),)) for _ in range(6)]
        await world.start("Read it all.")
        await world.until_idle()

        told = [(r, shown) for r, shown in zip(model.requests, model.shown, strict=True) if not r.then]
        needing = [request for request, shown in told if "read_message reads" in shown]
        assert needing or threshold < 100
        assert all("read_message" in {tool.name for tool in request.tools} for request in needing)

    tell(story, make=Looking)
