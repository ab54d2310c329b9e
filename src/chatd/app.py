"""Composition: settings in, a running server out. The only file that knows every part."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from random import SystemRandom

from chatd.accounts.admin import ensure_admin
from chatd.agent.desk import Desk
from chatd.api.app import build
from chatd.api.server import address_of, bound, serve_http
from chatd.domain.chat import ClientTool
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock, SystemClock
from chatd.live.live import Live
from chatd.providers.catalog import ScriptedOnly
from chatd.providers.model import Model
from chatd.providers.performance import PROVIDER as SCRIPTED
from chatd.providers.scripted import ScriptedModel
from chatd.settings import Settings
from chatd.storage.data_dir import locked, open_data_dir
from chatd.storage.leases import forget_everyone
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database, sqlite_path
from chatd.storage.queries import Dialect
from chatd.storage.transact import Store
from chatd.tools.rehearsal import FileWitness, rehearsal_tools
from chatd.tools.toolbox import Toolbox
from chatd.worker.slots import Slots
from chatd.worker.worker import Worker


async def serve(settings: Settings, *, ready: Callable[[str, str], None]) -> None:
    """Run until a signal says stop.

    `ready` is told the server's address and where the administrator's token is, once requests
    are answered. Raises Unusable when something stands in the way of that.
    """
    clock = SystemClock()
    async with AsyncExitStack() as opened:
        stop = opened.enter_context(_stopped_by_signals())
        opened.enter_context(locked(open_data_dir(settings.data_dir), sqlite_path(settings.database)))
        # Before the database: a server that cannot listen should not migrate anything.
        listener = opened.enter_context(bound(settings.host, settings.port))
        db = await opened.enter_async_context(open_database(settings.database, clock))
        await migrate(db)
        token_place = await ensure_admin(db, settings.data_dir, settings.admin_token)
        if db.dialect is Dialect.SQLITE:
            await forget_everyone(db)
        bus = MemoryBus()
        live = Live(Store(db, bus), clock)
        worker = Worker(_desk(settings, Store(db, bus), live, clock), bus) if settings.worker else None
        async with _working(live, worker):
            await serve_http(
                build(Store(db, bus), live),
                listener,
                stop=stop,
                ready=lambda: ready(address_of(settings.host, listener), token_place),
                end_streams=live.streams.end,
            )


def _desk(settings: Settings, store: Store, live: Live, clock: Clock) -> Desk:
    """What the agents of this process work with."""
    witness = FileWitness(settings.rehearsal_log) if settings.rehearsal_log else None
    rehearsal = rehearsal_tools(witness, clock)

    def toolbox_of(model: Model, client_tools: tuple[ClientTool, ...]) -> Toolbox:
        # The rehearsal tools do nothing real, so they are offered to the model that is not real.
        return Toolbox(rehearsal if model.provider == SCRIPTED else (), client_tools)

    return Desk(
        store=store,
        board=live.board,
        models=ScriptedOnly(ScriptedModel(clock)),
        toolbox_of=toolbox_of,
        clock=clock,
        chance=SystemRandom().random,
        slot=Slots(settings.concurrency).take,
    )


@asynccontextmanager
async def _working(live: Live, worker: Worker | None) -> AsyncIterator[None]:
    """Chats are driven and shown inside the block; at its end work is handed over and the log written."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(live.run(), name="live")
        working = group.create_task(worker.run(stop), name="worker") if worker else None
        try:
            yield
        finally:
            stop.set()
            if working is not None:
                await asyncio.wait([working])
            # When nobody speaks any more: what was half said outlives this process.
            await live.log.flush()
            showing.cancel()


@contextmanager
def _stopped_by_signals() -> Iterator[asyncio.Event]:
    """An event that is set when the operator, or whatever supervises us, asks us to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, stop.set)
    try:
        yield stop
    finally:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
