"""A conversation that is longer than its model can take is summed up, once, and goes on."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.compaction.summarize import NO_SUMMARY
from chatd.agent.services import AgentServices
from chatd.domain.call import Effect
from chatd.domain.chat import Status
from chatd.domain.ids import CallId, UserId
from chatd.domain.part import Json
from chatd.domain.transitions.request_compaction import RequestCompaction
from chatd.domain.transitions.submit_actions import Result, SubmitActions
from chatd.kit.clock import Clock
from chatd.kit.codec import encode
from chatd.providers import failures
from chatd.providers.events import Finished, Stop, StreamEvent, TextDelta
from chatd.providers.model import Model, Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.tools.arguments import typed
from chatd.tools.tool import Media, Setting, Tool, touches_nothing
from tests.same_tools import toolbox_with
from tests.words import CLIENT_TOOL
from tests.worker.test_failing import with_model
from tests.worker.world import World, tell

BYTES_MAX = 10_000


class Narrow(ScriptedModel):
    """Takes only so much, whatever is known of its context."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.asked: list[int] = []
        self.says: int | None = None

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        size = sum(len(encode(message.content)) for message in request.messages)
        self.asked.append(size)
        if size > BYTES_MAX:
            raise failures.failed("context_too_large", provider="scripted", context=(None, self.says))
        async for events in super().stream(request):
            yield events


class NarrowWorld(World):
    """One whose model overflows."""

    def services(self) -> AgentServices:
        self.model = Narrow(self.clock)
        return replace(super().services(), models=self)

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return self.model

    async def answer(self, call_id: str, output: str) -> None:
        await self.until(lambda chat: chat.status is Status.REQUIRES_ACTION)
        await self.tell(SubmitActions(actions=(Result(call_id=CallId(call_id), output=output),)))


def tell_of(story: Callable[[NarrowWorld], Awaitable[None]]) -> None:
    tell(cast("Callable[[World], Awaitable[None]]", story), make=NarrowWorld)


def test_a_prompt_that_was_too_long_after_all_is_summed_up_and_the_turn_goes_on() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start(f"call @big {CLIENT_TOOL} {{}}\nnext\nsay There it is.")
        await world.answer("big", "x" * 40_000)
        chat = await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: There it is."
        assert chat.projection.boundary > 0
        # The call, what was too long, that with less of the result for a summary, and the rest on top of it.
        assert [size > BYTES_MAX for size in world.model.asked] == [False, True, False, False]
        assert 4_000 < world.model.asked[2] < 6_000

    tell_of(story)


class Wordless(ScriptedModel):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.then:
            yield [TextDelta("  "), Finished(Stop.DONE)]
            return
        async for events in super().stream(request):
            yield events


def test_a_model_that_has_nothing_to_sum_up_ends_the_turn_with_advice() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.message == NO_SUMMARY
        assert chat.projection.boundary == 0

    tell(story, make=with_model(Wordless))


class Unpaid(ScriptedModel):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.then:
            raise failures.failed("auth", provider="scripted")
        async for events in super().stream(request):
            yield events


def test_a_model_that_fails_at_a_summary_ends_the_turn_with_its_reason() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.kind == "auth"
        assert [m for m in (await world.stored()).messages if m.compressed] == []

    tell(story, make=with_model(Unpaid))


def test_what_is_too_long_even_for_a_summary_ends_the_turn_with_advice() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.send("say " + "x" * 40_000)
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.kind == "context_too_large"
        assert "start a new chat" in chat.last_error.message
        # As it was, and once more for a summary.
        assert len(world.model.asked) == 3

    tell_of(story)


def test_where_nothing_has_been_said_there_is_nothing_to_sum_up() -> None:
    async def story(world: NarrowWorld) -> None:
        await world.start("say " + "x" * 40_000)
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.kind == "context_too_large"
        assert len(world.model.asked) == 1

    tell_of(story)


def test_what_the_provider_says_of_its_context_counts_more_than_what_was_set() -> None:
    async def story(world: NarrowWorld) -> None:
        words = "x" * 6_000
        await world.start(f"say {words}")
        await world.until_idle()
        world.model.says = BYTES_MAX // 4
        await world.send(f"say {words}")
        chat = await world.until_idle()

        assert chat.projection.boundary > 0
        # Nobody had set a context, and the second prompt was too long; of that, the newest made the summary.
        assert [size > BYTES_MAX for size in world.model.asked] == [False, True, False, False]

    tell_of(story)


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
