"""A process dies at every await of a story with summaries in it: nothing is lost, and the chat goes on."""

import warnings
from collections.abc import AsyncGenerator, Sequence
from typing import cast

import pytest

from chatd.domain.chat import Status
from chatd.domain.ids import FileId, UserId
from chatd.domain.message import Message, Role, Visibility, text
from chatd.hints.memory import MemoryBus
from chatd.providers.events import StreamEvent
from chatd.providers.model import Model, Request
from chatd.storage.read import Everything
from chatd.storage.transact import Store, create_chat
from tests.invariants import assert_coherent
from tests.narrow import NarrowModel, Step, Summarizing
from tests.simulation.chaos import CRASHES, Chaos, Wire
from tests.simulation.life import Life
from tests.simulation.process import Process
from tests.simulation.world import World, migrate_with_token
from tests.virtual import run_virtually
from tests.words import create, user
from tests.worker.world import CHAT

FACT = "FACT: the harbour is Oslo."
BEGINNING = f"{FACT} Take a few steps."
# More than the tools of the simulation take.
LIMIT_TOKENS = 12_000
# Of about a hundred moments, each is tried; they are divided among so many tests.
BATCHES = 4
MOMENTS_MAX = 400


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
    """The narrow model, as one process hears it: between any two words the process may die."""

    def __init__(self, model: NarrowModel, chaos: OneCrash, life: Life) -> None:
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


class CompactingWorld(World):
    """One process at a time, and a chat whose model takes little."""

    def __init__(self, at: int, summarizing: Summarizing) -> None:
        super().__init__(seed=1)
        self.chaos = OneCrash(at)
        self.wire = Wire(self.chaos, self.raw)
        self.model = NarrowModel(limit=LIMIT_TOKENS, summarizing=summarizing)
        self.model.steps = [Step(says="On it.", calls=(("echo", {"text": "x" * 6_000}),)) for _ in range(4)]

    def process(self, name: str) -> Process:
        return Process(
            name,
            self.db,
            chaos=self.chaos,
            wire=self.wire,
            clock=self.clock,
            witness=self.witness,
            models=lambda life: Heard(self.model, cast("OneCrash", self.chaos), life),
        )

    async def tell(self) -> None:
        await migrate_with_token(self.db)
        await create_chat(Store(self.db, MemoryBus()), create(user(BEGINNING)))


def play(at: int, summarizing: Summarizing) -> tuple[CompactingWorld, Everything]:
    async def story() -> tuple[CompactingWorld, Everything]:
        world = CompactingWorld(at, summarizing)
        chats = await world.run_alone(world.tell)
        return world, chats[CHAT]

    try:
        with warnings.catch_warnings():
            # A process that is killed leaves behind what it was about to begin.
            warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
            return run_virtually(story(), seed=1)
    except BaseException as error:
        error.add_note(f"moment {at}")
        raise


def check(world: CompactingWorld, stored: Everything) -> None:
    assert_coherent(
        chat=stored.chat,
        messages=stored.messages,
        queue=stored.queue,
        calls=stored.calls,
        links=[FileId(file) for file in stored.files],
        branches=stored.branches,
        charges=stored.charges,
    )
    assert stored.chat.status is Status.WAITING, stored.chat.last_error
    assert FACT in text(stored.messages[-1])
    assert world.model.refused == 0
    summaries = [m for m in stored.messages if m.compressed and m.visibility is Visibility.MODEL]
    assert summaries
    for summary in summaries:
        assert BEGINNING in text(summary)
        assert [shown.role for shown in _after(summary, stored.messages)] == [Role.ASSISTANT, Role.TOOL]


def _after(summary: Message, messages: Sequence[Message]) -> list[Message]:
    """The call and the result that show it: all three are there, or none."""
    return [m for m in messages if m.compressed and summary.id < m.id <= summary.id + 2]


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("summarizing", [Summarizing.WELL, Summarizing.FAILS])
def test_a_compaction_survives_a_crash_at_every_await(summarizing: Summarizing, batch: int) -> None:
    quiet, stored = play(0, summarizing)
    check(quiet, stored)
    assert 50 < quiet.chaos.moments < MOMENTS_MAX  # type: ignore[attr-defined]
    for at in range(1 + batch, quiet.chaos.moments + 1, BATCHES):  # type: ignore[attr-defined]
        check(*play(at, summarizing))
