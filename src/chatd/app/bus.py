"""Which bus hints travel on: within this process, or among all servers of one PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from chatd.hints.bus import Bus
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock
from chatd.settings import Settings
from chatd.storage.open import sqlite_path


def open_bus(settings: Settings, clock: Clock) -> AbstractAsyncContextManager[Bus]:
    """The bus of the database that these settings name."""
    if sqlite_path(settings.database) is not None:
        return _memory()
    from chatd.hints.postgres import open_postgres_bus  # noqa: PLC0415 - its driver takes three megabytes

    return open_postgres_bus(settings.database_listen_url or settings.database, clock)


@asynccontextmanager
async def _memory() -> AsyncIterator[Bus]:
    yield MemoryBus()
