"""What runs beside the HTTP server: the worker, the live board and chores, and in which order they stop."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager

import structlog

from chatd.catalog.models.declared import Declared, declare
from chatd.catalog.models.store import CatalogStore
from chatd.kit.clock import Clock
from chatd.live.live import Live
from chatd.providers.discovery.ollama import ollama_models
from chatd.settings import Settings
from chatd.worker.worker import Worker

log = structlog.get_logger()

# How soon an Ollama server that was started later is noticed.
OLLAMA_SECONDS = 30.0
# After the requests under way. See STOP_SECONDS in app/serve.py.
WORKER_STOP_SECONDS = 8.0
BESIDE_STOP_SECONDS = 2.0


@asynccontextmanager
async def working(
    live: Live,
    worker: Worker | None,
    beside: Mapping[str, Coroutine[None, None, None]],
    *,
    end_processes: Callable[[], Coroutine[None, None, None]],
    give_up: Callable[[], None],
) -> AsyncIterator[None]:
    """Chats are driven and shown inside the block; at its end work is handed over.

    Commands are ended first, so that the calls that wait for them are answered while the worker still saves.
    Tasks that do not end in time may wait for a database that hangs, and such a transaction ignores its
    cancellation: `give_up` ends those.
    """
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(live.run(), name="live")
        others = [group.create_task(each, name=name) for name, each in beside.items()]
        working = group.create_task(worker.run(stop), name="worker") if worker else None
        try:
            yield
        finally:
            stop.set()
            group.create_task(end_processes(), name="end processes")
            if working is not None:
                await asyncio.wait([working], timeout=WORKER_STOP_SECONDS)
                if not working.done():
                    log.warning("worker.not_stopped", seconds=WORKER_STOP_SECONDS)
                    give_up()
                    working.cancel()
            showing.cancel()
            for other in others:
                other.cancel()
            _, pending = await asyncio.wait([showing, *others], timeout=BESIDE_STOP_SECONDS)
            if pending:
                give_up()


async def follow_ollama(
    settings: Settings, catalog_store: CatalogStore, clock: Clock, known: Sequence[str]
) -> None:
    """It may be started, stopped, or given other models, while we run."""
    while True:
        await clock.sleep(OLLAMA_SECONDS)
        if (models := await ollama_models()) != known:
            catalog_store.learn(declared_models(settings, models))
            known = models


def declared_models(settings: Settings, ollama: Sequence[str]) -> Declared:
    """What there is without a database: declared, in the environment, and running on this machine."""
    return declare(settings.providers, settings.models, os.environ, ollama=ollama)
