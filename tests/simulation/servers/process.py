"""One server: API, worker, board, part log and poller, with a bus and a view of the database of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from chatd.agent.services import AgentServices
from chatd.api.app import build
from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.keys.secrets import KEY_BYTES, Secrets
from chatd.catalog.models.declared import declare
from chatd.catalog.models.store import CatalogStore
from chatd.domain.chat import Chat
from chatd.domain.ids import WorkerId
from chatd.domain.setup import Setup
from chatd.kit.clock import Clock
from chatd.live.live import Live
from chatd.providers.model import Models
from chatd.storage.transactions.recent import Recent
from chatd.storage.transactions.transact import Store
from chatd.tools.rehearsal import rehearsal_tools
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker
from chatd.workspaces.places import NOWHERE
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable
from tests.simulation.chaos import Chaos, ProcessDatabase
from tests.simulation.guarded import DEPLOYMENT, guarded_tools
from tests.simulation.servers.disk import PLACES, Disk, DiskWorkspace
from tests.simulation.servers.equipment import Equip, as_it_is
from tests.simulation.servers.life import Life, failure_of
from tests.simulation.servers.wire import Carrier
from tests.simulation.witnesses.chronicle import RecordedSQLite
from tests.simulation.witnesses.overheard import Overheard
from tests.simulation.witnesses.witness import Witness
from tests.simulation.work import work_tools
from tests.support.same_tools import toolbox_with
from tests.support.scripted_only import ScriptedOnly

T = TypeVar("T")

# No models but the scripted one. Nobody changes it, and to make it takes a third of what a process takes.
DECLARED = declare()


class Process:
    """Composed as `chatd.app` composes it, of the same parts; only what is outside is ours."""

    def __init__(
        self,
        name: str,
        db: RecordedSQLite,
        *,
        chaos: Chaos,
        wire: Carrier,
        clock: Clock,
        witness: Witness,
        disk: Disk | None = None,
        models: Callable[[Life], Models] | None = None,
        equip: Equip = as_it_is,
    ) -> None:
        self.life = Life(name)
        self.stop = asyncio.Event()
        self._bus = wire.bus_for(self.life, clock)
        recent = Recent()
        store = Store(ProcessDatabase(db, chaos, self.life, "work"), self._bus, recent=recent)
        at_work = ProcessDatabase(db, chaos, self.life, "work")

        async def opened(directory: str) -> Workspace:
            if disk is None:
                raise WorkspaceUnusable("There are no workspaces here.")
            return DiskWorkspace(disk, directory, at_work.moment)

        async def workspace_of(_: Chat, setup: Setup) -> Workspace:
            return await opened(setup.workspace or "")

        self._live = Live(Store(ProcessDatabase(db, chaos, self.life, "live"), self._bus), clock)
        own = work_tools(witness, clock) if disk is not None else ()
        tools = (*rehearsal_tools(witness, clock), *guarded_tools(witness, clock), *own)
        services = AgentServices(
            store=store,
            board=self._live.board,
            models=models(self.life)
            if models is not None
            else ScriptedOnly(Overheard(clock, name, witness.attempts, db.chronicle)),
            toolbox_of=toolbox_with(tools),
            clock=clock,
            chance=chaos.chance.random,
            slots=Slots(chaos.slots),
            rules=DEPLOYMENT,
            workspace_of=workspace_of,
        )
        self._equipment = equip(services, tools)
        self._worker = Worker(
            self._equipment.services,
            self._bus,
            worker_id=WorkerId(name),
            before_hand_over=self._live.log.flush,
        )
        asked = Store(ProcessDatabase(db, chaos, self.life, "work"), self._bus, self._worker, recent)
        self._catalog_store = CatalogStore(asked, DECLARED, Secrets(bytes(KEY_BYTES)))
        self.app = build(
            asked,
            self._live,
            catalog_store=self._catalog_store,
            rules=DEPLOYMENT,
            titles=self._equipment.titles,
            places=PLACES if disk is not None else NOWHERE,
            open_workspace=opened,
            now_seconds=asyncio.get_running_loop().time,
        )
        # While it runs.
        self.catalog: Catalog | None = None
        self._clock = clock
        self._served: dict[asyncio.Task[Any], None] = {}

    @property
    def is_heard(self) -> bool:
        """Whether it answers, and knows of others on a bus that works."""
        return self.accepts and not self._bus.is_alone and not self._bus.is_away

    @property
    def accepts(self) -> bool:
        return not self.life.over and not self.stop.is_set()

    async def run(self) -> None:
        """Until it is killed, or has ended in order."""
        running = self.life.start(self._run())
        try:
            await asyncio.wait([running])
        finally:
            # Also when the story itself breaks off: nothing of ours is left behind.
            self.life.kill()
            await asyncio.wait([running])
            error = failure_of(running)
            self._bus.hang_up()
        if error is not None:
            raise error

    def serve(self, request: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Have it answer. The task ends with the process at the latest."""
        task = self.life.start(request)
        self._served[task] = None
        task.add_done_callback(self._served.pop)
        return task

    async def _run(self) -> None:
        """As `chatd.app` does it. At the end streams end, requests are answered, and work is handed over."""
        leaving = asyncio.Event()
        async with (
            self._bus.opened(),
            open_catalog(self._catalog_store, self._bus, self._clock) as self.catalog,
            asyncio.TaskGroup() as group,
        ):
            showing = group.create_task(self._live.run(), name="live")
            beside = group.create_task(self._equipment.beside(), name="beside")
            working = group.create_task(self._worker.run(leaving), name="worker")
            await self.stop.wait()
            self._live.streams.end()
            if self._served:
                await asyncio.wait(list(self._served))
            leaving.set()
            await asyncio.wait([working])
            showing.cancel()
            beside.cancel()
