"""Whether a database is whole: for `chatd doctor`, also beside a running server."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from chatd.storage.database import Connection, Database

# A large database takes long to read. What was found until then is told.
CHECK_SECONDS = 60.0
# After this long a person wants to know what happens.
TOLD_AFTER_SECONDS = 2.0
# Of many problems, the first few say what kind of damage it is.
PROBLEMS_MAX = 5
# SQLite asks whether to go on after so many of its steps: some hundred times a second.
STEPS_BETWEEN_LOOKS = 100_000

# Rows that refer to rows which are not there; NULL for a table without row numbers.
_LOST_REFERENCE = "row {row} of table {table} refers to a row of {parent} that is not there"


class Integrity(Struct, frozen=True):
    problems: tuple[str, ...] = ()
    # False when the time was over before everything was looked at.
    is_finished: bool = True


async def check_sqlite(path: Path, still_checking: Callable[[], None] = lambda: None) -> Integrity:
    """Reads the whole file. `still_checking` is called once when that takes more than a moment."""
    return await asyncio.to_thread(_check_file, path, still_checking)


def _check_file(path: Path, still_checking: Callable[[], None]) -> Integrity:
    started = time.monotonic()
    is_told = False

    def out_of_time() -> bool:
        nonlocal is_told
        seconds = time.monotonic() - started
        if seconds >= TOLD_AFTER_SECONDS and not is_told:
            is_told = True
            still_checking()
        return seconds >= CHECK_SECONDS

    raw = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        raw.set_progress_handler(out_of_time, STEPS_BETWEEN_LOOKS)
        return Integrity(tuple(_problems(raw)))
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return Integrity(is_finished=False)
        return Integrity((f"it cannot be read to its end ({error})",))
    finally:
        raw.close()


def _problems(raw: sqlite3.Connection) -> list[str]:
    # It answers with the one word "ok", or with a line for each problem.
    lines = [str(line) for (line,) in raw.execute(f"PRAGMA integrity_check({PROBLEMS_MAX})")]
    broken = [line for line in lines if line != "ok"]
    lost = raw.execute("PRAGMA foreign_key_check").fetchmany(PROBLEMS_MAX)
    return broken + [
        _LOST_REFERENCE.format(table=table, row=row, parent=parent) for table, row, parent, _ in lost
    ]


async def check_postgres(db: Database) -> Integrity:
    """What PostgreSQL knows of its own damage. It does not look for more: `pg_amcheck` does."""

    async def body(tx: Connection) -> tuple[str, ...]:
        return tuple(row[0] for row in await tx.all("known_damage", PROBLEMS_MAX))

    return Integrity(await db.read(body))
