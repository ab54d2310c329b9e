"""A database on SQLite that a test can bring into trouble, by way of its writer's connection."""

import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from chatd.storage.database import Connection
from chatd.storage.health.outage import Outage
from chatd.storage.sqlite.database import SQLite
from tests.clock import MovedClock

# More than fits into the pages that a database has room in.
MUCH = "x" * 100_000


async def insert(tx: Connection, name: str) -> None:
    await tx.run("insert_user", name, name, "member")


class Kept(Struct):
    """A database, and the connection of its writer."""

    db: SQLite
    writer: sqlite3.Connection

    async def add(self, name: str) -> None:
        await self.db.write(lambda tx: insert(tx, name))

    async def has(self, name: str) -> bool:
        return await self.db.read(lambda tx: tx.one("user_named", name)) is not None

    def refuse_writes(self) -> None:
        self.writer.execute("PRAGMA query_only = ON")

    def accept_writes(self) -> None:
        self.writer.execute("PRAGMA query_only = OFF")

    def fill(self) -> None:
        """Not one page more."""
        (pages,) = self.writer.execute("PRAGMA page_count").fetchone()
        self.writer.execute(f"PRAGMA max_page_count = {pages}")

    def make_room(self) -> None:
        self.writer.execute("PRAGMA max_page_count = 1000000")


@asynccontextmanager
async def kept_in(
    template: Path, path: Path, clock: MovedClock, outage: Outage | None = None
) -> AsyncIterator[Kept]:
    shutil.copy(template, path)

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        raw.execute("PRAGMA journal_mode = WAL")
        raw.create_function("chatd_now", 0, clock.now_micros)
        return raw

    writer = connect()
    db = SQLite(writer, [connect()], outage=outage)
    yield Kept(db, writer)
    await db.close()
