"""Moves everything from an SQLite database to an empty PostgreSQL database.

One transaction copies all tables, reads them back and compares: all of it is there afterwards, or nothing.
The SQLite database is only read.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
from msgspec import Struct

from chatd.errors import Unusable
from chatd.storage.migrate import migrate
from chatd.storage.moving.fingerprint import Fingerprint
from chatd.storage.moving.tables import Table, tables_of
from chatd.storage.postgres.database import CONNECT_SECONDS, open_postgres, place_of, words_of
from chatd.storage.queries import SqlEngine, queries_for

if TYPE_CHECKING:
    RawConnection = asyncpg.Connection[asyncpg.Record]

# How often progress is told.
ROWS_BETWEEN_NEWS = 1000
# Rows that are read back at once: a file may have some megabytes.
READ_BACK_AT_ONCE = 10
# For the locks of all tables of a database that nobody should use.
LOCK_SECONDS = 10

# A table may take hours; the usual limits are for statements of servers.
_SETTINGS = {
    "application_name": "chatd move",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "lock_timeout": f"{LOCK_SECONDS}s",
}
_COLUMNS = """
SELECT column_name
  FROM information_schema.columns
 WHERE table_schema = current_schema() AND table_name = $1
"""


class Moved(Struct, frozen=True, kw_only=True):
    table: str
    rows: int


# Told the table and how many of its rows are copied.
Progress = Callable[[str, int], None]


async def move(source: Path, url: str, progress: Progress = lambda _table, _rows: None) -> list[Moved]:
    """What was moved, by table. No server may use either database meanwhile: the caller holds their locks.

    Raises Unusable when the target is not empty, or when something does not arrive as it was.
    """
    with closing(_opened(source)) as raw:
        async with open_postgres(url) as db:
            await migrate(db)
        async with _transaction(url) as target:
            tables = tables_of(raw)
            await _claim(target, tables, url)
            prints = {table.name: await _copy(raw, target, table, progress) for table in tables}
            for table in tables:
                await _compare(target, table, prints[table.name])
            # The planner would take every table for an empty one, until the database looks by itself.
            await target.execute("ANALYZE")
    return [Moved(table=table.name, rows=prints[table.name].count) for table in tables]


def _opened(source: Path) -> sqlite3.Connection:
    raw = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    # One snapshot for all tables.
    raw.execute("BEGIN")
    return raw


@asynccontextmanager
async def _transaction(url: str) -> "AsyncIterator[RawConnection]":
    connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=_SETTINGS)
    try:
        async with connection.transaction():
            yield connection
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise Unusable(f"Nothing was moved: PostgreSQL says {words_of(error)}.") from error
    finally:
        # At once: after an error the server may have a transaction to undo, for which we need not wait.
        connection.terminate()


async def _claim(target: "RawConnection", tables: Sequence[Table], url: str) -> None:
    """Nobody else can use these tables until we are done, and there is nothing in them yet."""
    # A server that starts now waits here, as it does for another one that migrates.
    await target.execute(queries_for(SqlEngine.POSTGRES)["one_migrator"])
    names = [*(table.name for table in tables), "workers"]
    await target.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
    for name in names:
        if await target.fetchval(f"SELECT EXISTS (SELECT 1 FROM {name})"):  # noqa: S608 - a name of ours
            raise Unusable(
                f"The database at {place_of(url)} is not empty: there is something in its table {name}. "
                "Make a new database for these chats, and start no server on it before they are there."
            )
    for table in tables:
        theirs = {row[0] for row in await target.fetch(_COLUMNS, table.name)}
        assert theirs == set(table.columns), f"the two databases differ in the columns of {table.name}"


async def _copy(
    raw: sqlite3.Connection, target: "RawConnection", table: Table, progress: Progress
) -> Fingerprint:
    found = Fingerprint()

    def rows() -> Iterator[Sequence[object]]:
        for row in raw.execute(table.query):
            values = _values(table, row)
            found.add(values)
            if found.count % ROWS_BETWEEN_NEWS == 0:
                progress(table.name, found.count)
            yield values

    await target.copy_records_to_table(table.name, records=rows(), columns=table.columns)
    progress(table.name, found.count)
    return found


def _values(table: Table, row: Sequence[object]) -> Sequence[object]:
    if not table.truths:
        return row
    return [
        bool(value) if place in table.truths and value is not None else value
        for place, value in enumerate(row)
    ]


async def _compare(target: "RawConnection", table: Table, expected: Fingerprint) -> None:
    found = Fingerprint()
    async for record in target.cursor(table.query, prefetch=READ_BACK_AT_ONCE):
        found.add(tuple(record))
    if found != expected:
        raise Unusable(
            f"Nothing was moved: the {expected.count} rows of {table.name} did not arrive as they were "
            f"({found.count} did). Please report this."
        )
