"""A process dies at every await of a story with summaries in it: nothing is lost, and the chat goes on."""

from collections.abc import Sequence
from typing import cast

import pytest

from chatd.domain.chat import Status
from chatd.domain.ids import FileId
from chatd.domain.message import Message, Role, Visibility, text
from chatd.hints.memory import MemoryBus
from chatd.providers.model import Model
from chatd.storage.reads.read import Everything
from chatd.storage.transactions.transact import Store, create_chat
from tests.simulation.one_crash import Heard, OneCrash, moments_of, play_moment
from tests.simulation.servers.one_database import fill_database
from tests.simulation.servers.process import Process
from tests.simulation.servers.wire import Wire
from tests.simulation.world import World
from tests.support.invariants import assert_coherent
from tests.support.narrow import NarrowModel, Step, Summarizing
from tests.words import create, user
from tests.worker.worlds.world import CHAT

FACT = "FACT: the harbour is Oslo."
BEGINNING = f"{FACT} Take a few steps."
# More than the tools of the simulation take.
LIMIT_TOKENS = 12_000
# Of about a hundred moments, each is tried; they are divided among so many tests.
BATCHES = 4
MOMENTS_MAX = 400


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
            models=lambda life: Heard(cast("Model", self.model), self.chaos, life),
        )

    async def tell(self) -> None:
        await fill_database(self.db)
        await create_chat(Store(self.db, MemoryBus()), create(user(BEGINNING)))


def play(at: int, summarizing: Summarizing) -> int:
    """How many moments there were, of which a process died at one."""

    async def story() -> int:
        world = CompactingWorld(at, summarizing)
        chats = await world.run_alone(world.tell)
        check(world, chats[CHAT])
        return moments_of(world.chaos)

    return play_moment(story, at)


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
    moments = play(0, summarizing)
    assert 50 < moments < MOMENTS_MAX
    for at in range(1 + batch, moments + 1, BATCHES):
        play(at, summarizing)
