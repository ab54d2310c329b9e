"""A story that is played again and again, and each time a process dies at another one of its awaits."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TypeVar, cast

from chatd.domain.ids import UserId
from chatd.providers.events import StreamEvent
from chatd.providers.model import Model, Request
from tests.simulation.chaos import CRASHES, Chaos
from tests.simulation.playing import played
from tests.simulation.servers.life import Life

T = TypeVar("T")


class OneCrash(Chaos):
    """Ends a process at one moment, and does nothing else. Moment 0 never comes."""

    def __init__(self, at: int) -> None:
        super().__init__(seed=1)
        self.moments = 0
        self._at = at

    def strikes(self, percent: float) -> bool:
        if percent != CRASHES or self.calm:
            return False
        self.moments += 1
        return self.moments == self._at


class Heard:
    """A model, as one process hears it: between any two words the process may die. There is no other."""

    def __init__(self, model: Model, chaos: Chaos, life: Life) -> None:
        self._model = model
        self._chaos = chaos
        self._life = life

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return cast("Model", self)

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        async for events in self._model.stream(request):
            if self._chaos.strikes(CRASHES):
                self._life.kill()
            self._life.check()
            yield events


def moments_of(chaos: Chaos) -> int:
    assert isinstance(chaos, OneCrash)
    return chaos.moments


def play_moment(story: Callable[[], Awaitable[T]], at: int) -> T:
    return played(story, seed=1, note=f"moment {at}")
