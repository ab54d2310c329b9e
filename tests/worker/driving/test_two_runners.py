"""Two runners of one chat, in one process: one ends while the next begins, or both were about to take it."""

import asyncio

from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.ids import UserId
from chatd.records.recorder import Recorder
from chatd.storage.database import Body, Database, Pace, T
from chatd.storage.transactions.transact import Store, create_chat, transact
from chatd.worker.worker import GRACE_SECONDS
from tests.support.scripted_only import ScriptedOnly
from tests.words import create, send, user
from tests.worker.worlds.absence import Counting
from tests.worker.worlds.world import CHAT, World, tell


class Slow:
    """A database whose writes begin when they are let."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.waiting = 0
        self.open = asyncio.Event()
        self.open.set()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.waiting += 1
        await self.open.wait()
        self.waiting -= 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


class SlowWorkers(World):
    """What a worker itself writes is slow; what is sent to its chats is not. PostgreSQL promises no order."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.slow = Slow(db)
        self.model = Counting(self.clock)
        self.models = ScriptedOnly(self.model)

    def store_of_workers(self) -> Store:
        return Store(self.slow, self.bus)


def test_a_chat_that_is_being_taken_is_not_taken_by_a_message_as_well() -> None:
    """Else one runner asks the model, and finds that its lease is gone when the reply is to be saved."""

    async def story(world: World) -> None:
        assert isinstance(world, SlowWorkers)
        await world.until_working()
        world.slow.open.clear()
        await world.start("say Hello.")
        await world.clock.sleep(0.01)
        assert world.slow.waiting == 1

        await transact(world.driven_store, CHAT, send("say Again."))
        world.slow.open.set()
        await world.until_idle()

        assert (await world.transcript())[-1] == "assistant: Again."
        assert world.model.calls == 2

    tell(story, make=SlowWorkers)


class SlowRecords(World):
    """Its chats are recorded, and that may take longer than a process that ends has time for."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.slow = Slow(db)

    def services(self) -> AgentServices:
        async def wanted(_: UserId) -> bool:
            return True

        recorder = Recorder(db=self.slow, clock=self.clock, wanted=wanted, retention_days=0)
        return replace(super().services(), recorder=recorder)


def test_a_runner_may_end_after_the_one_that_waited_for_it_was_cancelled() -> None:
    async def story(world: World) -> None:
        assert isinstance(world, SlowRecords)
        await world.until_working()
        await create_chat(world.driven_store, create(user("stream 3 words at 10 per second")))
        await world.until_said(" ")
        world.slow.open.clear()
        await world.until_idle()
        await transact(world.driven_store, CHAT, send("say Again."))

        world.stop.set()
        await world.clock.sleep(2 * GRACE_SECONDS)

        # Nothing has failed: an exception of the worker would end this story as well.
        assert (await world.transcript())[-1] == "user: say Again."

    tell(story, make=SlowRecords)
