"""A world whose tools and model do not come back, or do not heed that they are stopped."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import structlog
from msgspec import Struct
from msgspec.structs import replace
from structlog.testing import capture_logs
from structlog.typing import EventDict

from chatd.agent.services import AgentServices
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Database
from chatd.tools.arguments import typed
from chatd.tools.rehearsal import rehearsal_tools
from chatd.tools.tool import AnyTool, Setting, Tool, touches_nothing
from chatd.worker.endings import BREAKS_MAX
from chatd.worker.watchdog import QUIET_SECONDS_MAX
from tests.support.same_tools import toolbox_with
from tests.support.scripted_only import ScriptedOnly
from tests.worker.worlds.world import World, tell

DAY = 86400.0
# A script with these words makes the model go on when it is stopped.
DEAF = "be deaf"


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class StubbornWorld(World):
    """The first `stubborn` calls of each tool, and of a deaf model, do not come back until released."""

    # Of each of the tools.
    seconds_max = DAY

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.stubborn = BREAKS_MAX
        self.released = asyncio.Event()
        self.models = ScriptedOnly(DeafModel(self))

    def services(self) -> AgentServices:
        tools = (
            *rehearsal_tools(self.witness, self.clock),
            self._tool("hang", self._hang),
            self._tool("ignore", self._ignore),
            self._tool("chatter", self._chatter),
            self._tool("reluctant", self._reluctant),
        )
        return replace(super().services(), toolbox_of=toolbox_with(tools))

    def runs(self, tool: str) -> int:
        return sum(line.startswith(tool) for line in self.witness.lines)

    def _tool(self, name: str, run: Callable[[Nothing, Setting], Awaitable[Json]]) -> AnyTool:
        return Tool(
            name=name,
            description="",
            arguments=typed(Nothing),
            effect=Effect.READ,
            touches=touches_nothing,
            run=run,
            seconds_max=self.seconds_max,
        )

    def _gives_in(self, tool: str) -> bool:
        self.witness.saw(tool)
        return self.runs(tool) > self.stubborn

    async def _hang(self, _: Nothing, __: Setting) -> Json:
        if not self._gives_in("hang"):
            await self.released.wait()
        return "done"

    async def _ignore(self, _: Nothing, __: Setting) -> Json:
        await self.be_deaf("ignore")
        return "done"

    async def be_deaf(self, what: str) -> bool:
        """Goes on although it is cancelled. Whether it would have."""
        gives_in = self._gives_in(what)
        while not (gives_in or self.released.is_set()):
            with suppress(asyncio.CancelledError):
                await self.released.wait()
        return not gives_in

    async def _reluctant(self, _: Nothing, __: Setting) -> Json:
        """Comes back with something when it is stopped."""
        self.witness.saw("reluctant")
        with suppress(asyncio.CancelledError):
            await self.released.wait()
        await self.clock.sleep(1)
        return "as far as I got"

    async def _chatter(self, _: Nothing, setting: Setting) -> Json:
        if not self._gives_in("chatter"):
            while not self.released.is_set():
                setting.show("still here\n")
                await self.clock.sleep(QUIET_SECONDS_MAX / 2)
        return "done"


@contextmanager
def serious_logs() -> Iterator[list[EventDict]]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with capture_logs() as logs:
        yield logs


def tell_stubborn(
    story: Callable[[StubbornWorld], Awaitable[None]],
    *,
    make: type[StubbornWorld] = StubbornWorld,
    workers: int = 1,
    slots: int = 8,
) -> None:
    async def released_in_the_end(world: World) -> None:
        assert isinstance(world, StubbornWorld)
        try:
            await story(world)
        finally:
            world.released.set()

    tell(released_in_the_end, make=make, workers=workers, slots=slots)


class DeafModel(ScriptedModel):
    def __init__(self, world: StubbornWorld) -> None:
        super().__init__(world.clock)
        self._world = world

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if DEAF in str(request.messages[-1].content) and await self._world.be_deaf("model"):
            return
        async for events in super().stream(request):
            yield events
