"""What a server stands on: its data directory, its sockets, the database and the bus."""

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from msgspec import Struct

from chatd.accounts.admin import AdminToken, ensure_admin
from chatd.api.serving.connections.server import address_of, bound, local_address_of
from chatd.app.bus import open_bus
from chatd.app.measuring import MetricsListener, metrics_listener
from chatd.app.telemetry import traced, tracing
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock
from chatd.settings import Settings
from chatd.storage.data_dir.announce import forget_address
from chatd.storage.data_dir.data_dir import locked, open_data_dir
from chatd.storage.database import Database
from chatd.storage.health.outage import Outage
from chatd.storage.migrate import Migration, migrate
from chatd.storage.open import open_database, sqlite_path
from chatd.storage.queries import SqlEngine
from chatd.storage.tables.leases import forget_everyone
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()


class Ground(Struct, frozen=True, kw_only=True):
    """Open as long as the server runs; everything else is put on it."""

    clock: Clock
    # Bound, not listening yet.
    listener: socket.socket
    measuring: MetricsListener | None
    # Where we are reached, and where programs on this machine reach us.
    address: str
    local_address: str
    database: Database
    outage: Outage
    # The same database; its transactions are spans where traces are wanted.
    db: Database
    bus: Bus
    admin_token: AdminToken

    @property
    def store(self) -> Store:
        return Store(self.db, self.bus)


@asynccontextmanager
async def open_ground(settings: Settings, clock: Clock) -> AsyncIterator[Ground]:
    """With a database that is up to date, and an administrator. Raises Unusable."""
    async with AsyncExitStack() as opened:
        opened.enter_context(locked(open_data_dir(settings.data_dir), sqlite_path(settings.database)))
        opened.callback(forget_address, settings.data_dir)
        # Before the database: a server that cannot listen should not migrate anything.
        listener = opened.enter_context(bound(settings.host, settings.port))
        measuring = opened.enter_context(metrics_listener(settings))
        outage = Outage()
        await opened.enter_async_context(tracing(wanted=settings.traces))
        database = await opened.enter_async_context(open_database(settings.database, clock, outage))
        db = traced(database, wanted=settings.traces)
        await _bring_up_to_date(db)
        admin_token = await ensure_admin(db, settings.data_dir, settings.admin_token)
        yield Ground(
            clock=clock,
            listener=listener,
            measuring=measuring,
            address=address_of(settings.host, listener),
            local_address=local_address_of(settings.host, listener),
            database=database,
            outage=outage,
            db=db,
            bus=await opened.enter_async_context(open_bus(settings, clock)),
            admin_token=admin_token,
        )


async def _bring_up_to_date(db: Database) -> None:
    _log_migrations(await migrate(db))
    if db.engine is SqlEngine.SQLITE:
        await forget_everyone(db)


def _log_migrations(applied: Sequence[Migration]) -> None:
    if applied and applied[0].number == 1:
        # What was there before each of them is no news where there was nothing.
        log.info("database.created", migrations=len(applied))
        return
    for migration in applied:
        log.info("migration.applied", number=migration.number, name=migration.name)
