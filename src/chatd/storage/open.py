"""Opens the database that an address names."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from chatd.errors import Misconfigured, Unusable
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.storage.health.outage import Outage
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.database import open_sqlite

SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://")


@asynccontextmanager
async def open_database(url: str, clock: Clock, outage: Outage | None = None) -> AsyncIterator[Database]:
    """Raises Misconfigured when it is no address of ours, Unusable when nothing can be opened there.

    `outage` is told when the database cannot be used later on.
    """
    path = sqlite_path(url)
    if path is None:
        opened = _open_postgres(url, outage)
    else:
        _keep_private(path)
        opened = open_sqlite(path, now_micros=clock.now_micros, outage=outage)
    async with opened as db:
        yield db


@asynccontextmanager
async def open_existing(url: str, clock: Clock) -> AsyncIterator[Database]:
    """The same, but no file is made: for commands that only read, also beside a running server."""
    path = sqlite_path(url)
    if path is not None and not path.is_file():
        raise Unusable(f"There is no database at {path}. Has `chatd serve` run with this data directory?")
    async with open_database(url, clock) as db:
        yield db


def abandon(db: Database) -> None:
    """Wait no longer for a database that hangs: what is under way fails now, as if it were away."""
    if db.engine is SqlEngine.POSTGRES:
        from chatd.storage.postgres.database import Postgres  # noqa: PLC0415 - as below

        if isinstance(db, Postgres):
            db.abandon()


def _open_postgres(url: str, outage: Outage | None) -> AbstractAsyncContextManager[Database]:
    """Its driver is imported by servers that use it: it takes three megabytes."""
    from chatd.storage.postgres.database import open_postgres  # noqa: PLC0415 - see above

    return open_postgres(url, outage=outage)


def _keep_private(path: Path) -> None:
    """A new database is readable by its owner alone. SQLite gives its other files the same mode."""
    if path.exists():
        return
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise Unusable(f"Cannot write the database {path}: {error.strerror}.") from error


def sqlite_path(url: str) -> Path | None:
    """The file that the address names, or None when it names a PostgreSQL server."""
    if url.startswith(POSTGRES):
        return None
    path = url.removeprefix(SQLITE)
    if not url.startswith(SQLITE) or not path or path == ":memory:":
        raise Misconfigured(
            "The database address is neither sqlite:///path/to/file nor postgresql://user:password@host/name."
        )
    return Path(path).expanduser()
