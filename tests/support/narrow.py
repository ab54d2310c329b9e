"""A model that really refuses prompts over its limit, as it counts them itself; and a world that has it.

It counts everything that it is sent, in its own way: not as we estimate. Asked to summarize, it repeats every
line with a fact in it that it can see, and nothing else, so that what a summary was not shown is lost.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from enum import StrEnum
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.call import Effect
from chatd.domain.ids import CallId, UserId
from chatd.domain.message import Message, Usage
from chatd.domain.part import File, Json, Reasoning, Text, ToolCall, ToolResult, files_in
from chatd.kit.codec import encode_text
from chatd.providers import failures
from chatd.providers.events import Finished, Stop, StreamEvent, TextDelta, ToolCalled
from chatd.providers.model import Model, Request
from chatd.storage.database import Database
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, touches_nothing
from tests.support.same_tools import toolbox_with
from tests.worker.worlds.world import World, tell

FACT = re.compile(r"FACT[^\n\"\\]*")
LIMIT_TOKENS = 4_000


class Summarizing(StrEnum):
    """What it does when it is asked for a summary."""

    WELL = "well"
    FAILS = "fails"
    IS_DOWN = "is down"
    REFUSES = "refuses"
    IS_CUT_OFF = "is cut off"
    SAYS_NOTHING = "says nothing"
    THINKS_ONLY = "only thinks"
    CALLS_A_TOOL = "calls a tool"


class Step(Struct, frozen=True, kw_only=True):
    """What it says as an agent: a call of a tool, or words that end the turn."""

    says: str = ""
    fails: str | None = None
    calls: tuple[tuple[str, Json], ...] = ()


class NarrowModel:
    """A `Model`."""

    sees: frozenset[str] = frozenset()
    writes_texts = True
    first_seconds = silence_seconds = 60.0

    def __init__(
        self,
        name: str = "narrow/one",
        *,
        limit: int = LIMIT_TOKENS,
        configured: int | None = None,
        tells: bool = True,
        bytes_per_token: float = 3.0,
        reports: bool = True,
        summarizing: Summarizing = Summarizing.WELL,
        threshold: int = 70,
    ) -> None:
        self.name = name
        self.provider = self.provider_id = self.vendor = name.partition("/")[0]
        self.limit = limit
        self.context_limit = limit if configured is None else configured
        self.compression_threshold = threshold
        self.tells = tells
        self.reports = reports
        self.bytes_per_token = bytes_per_token
        self.summarizing = summarizing
        self.steps: list[Step] = []
        # What it was sent, refused or not: the tokens, and the text of each.
        self.asked: list[int] = []
        self.shown: list[str] = []
        self.refused = 0
        self.summaries = 0
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        shown = await _text_of(request)
        tokens = int(len(shown.encode()) / self.bytes_per_token)
        self.asked.append(tokens)
        self.shown.append(shown)
        self.requests.append(request)
        if tokens > self.limit:
            self.refused += 1
            told = (tokens, self.limit) if self.tells else (None, None)
            raise failures.failed("context_too_large", provider=self.provider, context=told)
        said = self._summary(shown, request) if request.then else self._reply(shown)
        for event in said:
            if isinstance(event, Finished) and self.reports:
                event = replace(event, usage=Usage(input_tokens=tokens, output_tokens=10))  # noqa: PLW2901
            yield (event,)

    def cost(self, finished: Finished, *, answered_by: str = "") -> None:
        """It has no price."""

    def _reply(self, shown: str) -> Iterator[StreamEvent]:
        step = self.steps.pop(0) if self.steps else Step(says="KNOWN " + " ".join(facts_in(shown)))
        if step.says:
            yield TextDelta(step.says)
        if step.fails is not None:
            raise failures.failed(step.fails, provider=self.provider)
        for n, (tool, args) in enumerate(step.calls):
            yield ToolCalled(CallId(f"call_{len(self.asked)}_{n}"), tool, args)
        yield Finished(Stop.TOOLS if step.calls else Stop.DONE)

    def _summary(self, shown: str, request: Request) -> Iterator[StreamEvent]:
        # Without tools there is none to call.
        well = self.summarizing is Summarizing.CALLS_A_TOOL and not request.tools
        match Summarizing.WELL if well else self.summarizing:
            case Summarizing.WELL:
                self.summaries += 1
                for fact in facts_in(shown):
                    yield TextDelta(f"{fact}\n")
                yield TextDelta("The work goes on.")
                yield Finished(Stop.DONE)
            case Summarizing.FAILS:
                raise failures.failed("auth", provider=self.provider)
            case Summarizing.IS_DOWN:
                raise failures.failed("transport", provider=self.provider)
            case Summarizing.REFUSES:
                yield Finished(Stop.REFUSED)
            case Summarizing.IS_CUT_OFF:
                yield TextDelta("It began with")
                yield Finished(Stop.LENGTH)
            case Summarizing.SAYS_NOTHING:
                yield Finished(Stop.DONE)
            case Summarizing.THINKS_ONLY:
                yield Finished(Stop.LENGTH)
            case Summarizing.CALLS_A_TOOL:
                yield TextDelta("Let me look first.")
                yield ToolCalled(CallId("look"), "speak", {})
                yield Finished(Stop.TOOLS)


def facts_in(shown: str) -> list[str]:
    return list(dict.fromkeys(found.strip() for found in FACT.findall(shown)))


async def _text_of(request: Request) -> str:
    messages: list[Message] = [*request.messages, *request.then]
    files = await request.read_files(files_in(message.content for message in messages))
    told = [*request.system, *(encode_text(tool) for tool in request.tools)]
    for message in messages:
        for part in message.content:
            match part:
                case Text(text=text) | Reasoning(text=text):
                    told.append(text)
                case ToolCall(args=args, tool_name=name):
                    told.append(f"{name} {encode_text(args)}")
                case ToolResult(result=result):
                    told.append(result if isinstance(result, str) else encode_text(result))
                case File(file_id=file_id):
                    told.append(files.get(file_id, b"").decode("utf-8", "replace"))
                case _:
                    pass
    return "\n".join(told)


class Long(Struct, frozen=True, forbid_unknown_fields=True):
    bytes: int = 100


async def _speak(args: Long, _: Setting) -> Json:
    return ("lorem ipsum " * (args.bytes // 12 + 1))[: args.bytes]


SPEAK = Tool(
    name="speak",
    description="Say so many bytes.",
    arguments=typed(Long),
    effect=Effect.READ,
    run=_speak,
    touches=touches_nothing,
)


class NarrowWorld(World):
    """One whose models are narrow. What one of them tells of its limit is remembered, as a catalog does."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.model = NarrowModel()
        self.other: NarrowModel | None = None
        self.chosen: NarrowModel | None = None

    def services(self) -> AgentServices:
        return replace(
            super().services(),
            models=self,
            summarizers=self,
            context_limits=self,
            toolbox_of=toolbox_with([SPEAK]),
        )

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        found = next((each for each in (self.model, self.other) if each and each.name == name), self.model)
        return cast("Model", found)

    async def summarizer_limit(self) -> int:
        return self.chosen.context_limit if self.chosen is not None else 0

    async def summarizer(self, owner_id: UserId) -> Model | None:
        return cast("Model | None", self.chosen)

    async def note_refused(self, model: Model, owner_id: UserId, *, stated: int, guessed: int) -> None:
        if stated:
            model.context_limit = min(stated, model.context_limit or stated)

    async def raise_guess(self, model: Model, owner_id: UserId, tokens: int) -> None:
        """It forgets nothing."""


def tell_of(story: Callable[[NarrowWorld], Awaitable[None]], *, workers: int = 1) -> None:
    tell(cast("Callable[[World], Awaitable[None]]", story), make=NarrowWorld, workers=workers)
