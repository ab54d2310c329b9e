"""Another model may sum up: if it can read the conversation, and as long as it works."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from functools import partial
from typing import cast

import pytest
from msgspec.structs import replace

from chatd.agent.compaction.summarize import PREFIX
from chatd.agent.services import AgentServices
from chatd.domain.ids import UserId
from chatd.domain.message import Effort, Role, Visibility
from chatd.domain.part import SUMMARY_TOOL, Text, ToolCall, ToolResult
from chatd.domain.setup import NO_SETUP
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.providers import failures
from chatd.providers.events import Finished, Stop, StreamEvent, TextDelta
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import ScriptedModel
from tests.traceability import proves
from tests.words import send
from tests.worker.turns.test_failing import logged
from tests.worker.worlds.world import World, tell


class Scribe(ScriptedModel):
    """Sums up, and does nothing else."""

    def __init__(self, clock: Clock, *, context_limit: int, fault: str | None = None) -> None:
        super().__init__(clock, context_limit=context_limit)
        self.name = "other/scribe"
        self.provider = self.provider_id = "other"
        self.fault = fault
        self.asked = 0
        self.seconds = 0.0

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        assert request.then
        assert request.effort is None
        self.asked += 1
        if self.fault is not None:
            raise failures.failed(self.fault, provider=self.provider)
        if self.seconds:
            await self._clock.sleep(self.seconds)
        yield [TextDelta("Short."), Finished(Stop.DONE)]


class ScribeWorld(World):
    """One whose administrators have chosen a scribe."""

    context_limit = 0
    fault: str | None = None

    def services(self) -> AgentServices:
        self.scribe = Scribe(self.clock, context_limit=self.context_limit, fault=self.fault)
        return replace(super().services(), summarizers=self)

    async def summarizer_limit(self) -> int:
        return self.context_limit

    async def summarizer(self, owner_id: UserId) -> Model | None:
        return self.scribe

    async def compact(self) -> str | None:
        """Who has summed up when it is asked for."""
        await self.tell(RequestCompaction())
        await self.until(lambda chat: chat.projection.boundary > 0)
        await self.until_idle()
        return next(m.model for m in (await self.stored()).messages if m.compressed)


def tell_of(story: Callable[[ScribeWorld], Awaitable[None]], make: type[ScribeWorld]) -> None:
    tell(cast("Callable[[World], Awaitable[None]]", story), make=make)


class Failing(ScribeWorld):
    fault = "auth"


class Unreachable(ScribeWorld):
    fault = "transport"


class Forgetful(ScribeWorld):
    failures = 1

    async def summarizer(self, owner_id: UserId) -> Model | None:
        if self.failures:
            self.failures -= 1
            raise Unavailable
        return await super().summarizer(owner_id)


class Small(ScribeWorld):
    context_limit = 10_000


@proves("loop", 34)
def test_a_conversation_is_summed_up_before_it_is_too_long_for_the_summarizer() -> None:
    async def story(world: ScribeWorld) -> None:
        await world.start("say One.\nusage 7500")
        await world.until_idle()
        second = send("say Two.")
        await world.tell(replace(second, message=replace(second.message, effort=Effort.HIGH)))
        await world.until_idle()

        messages = (await world.stored()).messages
        assert {m.model for m in messages if m.compressed} == {"other/scribe"}
        assert messages[-1].model == "scripted/scripted"
        assert world.scribe.asked == 1

    tell_of(story, Small)


@proves("loop", 31)
@proves("tools", 83)
@pytest.mark.parametrize(("seconds", "runtime_ms"), [(3.0, 3000), (0.0, None)])
def test_an_automatic_compaction_adds_the_summary_and_a_call_that_shows_it(
    seconds: float, runtime_ms: int | None
) -> None:
    async def story(world: ScribeWorld) -> None:
        world.scribe.seconds = seconds
        await world.start("say One.\nusage 7500")
        await world.until_idle()
        await world.send("say Two.")
        await world.until_idle()

        added = [message for message in (await world.stored()).messages if message.compressed]
        assert [(message.role, message.visibility) for message in added] == [
            (Role.USER, Visibility.MODEL),
            (Role.ASSISTANT, Visibility.USER),
            (Role.TOOL, Visibility.BOTH),
        ]
        assert [message.runtime_ms for message in added] == [None, runtime_ms, None]
        about = {"source": "automatic", "threshold_percent": 70}
        [summary, *kept], [call], [result] = (message.content for message in added)
        assert summary == Text(text=PREFIX + "Short.")
        # What the user said stays beside it.
        assert [part.text for part in kept if isinstance(part, Text)][1::2] == [
            "say One.\nusage 7500",
            "say Two.",
        ]
        assert isinstance(call, ToolCall)
        assert call.args == about
        assert isinstance(result, ToolResult)
        assert result.result == {
            "summary": "Short.",
            **about,
            "context_tokens": 7500,
            "context_limit_tokens": 200_000,
            "usage_percent": 3,
        }
        # It is shown as a call, and no model can make one.
        toolbox = await world.services().toolbox_of(
            (await world.stored()).chat, ScriptedModel(world.clock), NO_SETUP
        )
        assert call.tool_name == SUMMARY_TOOL
        assert toolbox.find(SUMMARY_TOOL) is None

    tell_of(story, Small)


@proves("loop", 35)
def test_a_choice_that_the_database_does_not_tell_is_asked_for_again() -> None:
    async def story(world: ScribeWorld) -> None:
        await world.start("say One.")
        await world.until_idle()

        assert await world.compact() == "other/scribe"

    tell_of(story, Forgetful)


def test_a_conversation_that_is_too_long_for_the_chosen_one_is_summed_up_by_its_own_model() -> None:
    async def story(world: ScribeWorld) -> None:
        await world.start("say " + "x" * 40_000)
        await world.until_idle()

        assert await world.compact() == "scripted/scripted"
        assert world.scribe.asked == 0

    tell_of(story, Small)


def test_a_chosen_one_that_fails_is_no_reason_to_fail_the_chat() -> None:
    async def story(world: ScribeWorld) -> None:
        await world.start("say One.")
        await world.until_idle()

        assert await world.compact() == "scripted/scripted"
        # Once, however long it will be out of reach: the chat has a model that works.
        assert world.scribe.asked == 1

    for world in (Failing, Unreachable):
        (line,) = logged("summarizer.failed", partial(tell_of, story, world))
        assert (line["model"], line["fault"]) == ("other/scribe", world.fault)
