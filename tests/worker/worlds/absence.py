"""Worlds whose workers lose their database for a while, and a model that counts how often it is paid."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Sequence

from chatd.domain.ids import ChatId, WorkerId
from chatd.errors import Locked, Unavailable
from chatd.kit.clock import Clock
from chatd.providers.events import StreamEvent
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.database import Body, Connection, Database, Pace, Row, T
from chatd.storage.queries import SqlEngine
from chatd.storage.transactions.transact import Done, Store
from chatd.worker.worker import Worker
from tests.support.scripted_only import ScriptedOnly
from tests.worker.worlds.world import World, tell


class Counting(ScriptedModel):
    """Counts how often it is paid."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.calls = 0

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.calls += 1
        async for events in super().stream(request):
            yield events


class Leaving:
    """A database that goes away: each half of it when it is told so."""

    engine = SqlEngine.SQLITE

    def __init__(self, inner: Database) -> None:
        self._inner = inner
        self.reads = self.writes = True
        # Commits that take place, and whose answer is lost on the way; and of which kind they are.
        self.unanswered = 0
        # Chats whose rows are locked by somebody who hangs.
        self.locked: set[ChatId] = set()
        self.unanswered_kind: type[object] = object

    @property
    def away(self) -> bool:
        return not (self.reads or self.writes)

    @away.setter
    def away(self, away: bool) -> None:
        self.reads = self.writes = not away

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self.writes:
            raise Unavailable("The database cannot be used at the moment.")
        result = await self._inner.write(lambda tx: body(_Waiting(tx, self.locked)), pace=pace)
        if self.unanswered and any(isinstance(each, self.unanswered_kind) for each in _commands(result)):
            self.unanswered -= 1
            raise Unavailable("The connection was lost.")
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self.reads:
            raise Unavailable("The database cannot be used at the moment.")
        return await self._inner.read(body, pace=pace)


class _Waiting:
    """A connection that waits in vain for the rows of these chats."""

    def __init__(self, tx: Connection, locked: Container[object]) -> None:
        self._locked = locked
        self.all, self.run, self.run_many, self.script = tx.all, tx.run, tx.run_many, tx.script
        self._one = tx.one

    async def one(self, query: str, *args: object) -> Row | None:
        if query == "lock_chat" and args[0] in self._locked:
            raise Locked("The database cannot be used at the moment: lock timeout.")
        return await self._one(query, *args)


def _commands(result: object) -> Sequence[object]:
    return result.commands if isinstance(result, Done) else (result,)


class AwayWorld(World):
    """Only workers lose the database; the story itself, which stands for the API, does not."""

    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.leaving = Leaving(db)
        self.model = self.make_model()
        self.models = ScriptedOnly(self.model)
        self.ended_at = 0.0
        self.worker_ids: list[WorkerId] = []

    def make_model(self) -> Counting:
        return Counting(self.clock)

    def store_of_workers(self) -> Store:
        return Store(self.leaving, self.bus)

    def worker(self) -> Worker:
        worker = NotingWorker(self, begins_after=len(self.worker_ids) * 1.5)
        self.worker_ids.append(worker.id)
        return worker

    async def be_away(self, seconds: float) -> None:
        self.leaving.away = True
        await self.clock.sleep(seconds)
        self.leaving.away = False


class NotingWorker(Worker):
    """Notes when it has ended. Each begins a little later, so that they do not beat at the same moments."""

    def __init__(self, world: AwayWorld, begins_after: float) -> None:
        super().__init__(world.services(), world.bus)
        self._world = world
        self._begins_after = begins_after

    async def run(self, stop: asyncio.Event) -> None:
        await self._world.clock.sleep(self._begins_after)
        await super().run(stop)
        self._world.ended_at = asyncio.get_running_loop().time()


def tell_away(
    story: Callable[[AwayWorld], Awaitable[None]], *, make: type[AwayWorld] = AwayWorld, workers: int = 1
) -> AwayWorld:
    worlds: list[AwayWorld] = []

    async def away(world: World) -> None:
        assert isinstance(world, AwayWorld)
        worlds.append(world)
        await story(world)

    tell(away, make=make, workers=workers)
    return worlds[0]
