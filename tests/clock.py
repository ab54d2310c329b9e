"""A clock that stands still until a test moves it, in SQLite and in PostgreSQL; and one that hurries."""

import asyncio

from chatd.domain.ids import SECOND
from chatd.storage.database import Database
from chatd.storage.queries import SqlEngine

START_MICROS = 1_800_000_000 * SECOND


class MovedClock:
    # PostgreSQL asks a table instead of the machine.
    INSTALL = """
        CREATE TABLE test_clock (now_micros BIGINT NOT NULL);
        INSERT INTO test_clock VALUES (0);
        CREATE OR REPLACE FUNCTION chatd_now() RETURNS BIGINT LANGUAGE sql VOLATILE
            AS 'SELECT now_micros FROM test_clock';
    """

    def __init__(self) -> None:
        self._now = START_MICROS
        # By how much the clock on the wall was put back; time itself goes on.
        self._put_back = 0
        self._governed: list[Database] = []
        self._moved = asyncio.Event()

    def now_micros(self) -> int:
        return self._now - self._put_back

    def monotonic(self) -> float:
        return self._now / SECOND

    def put_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall. A database that goes by it is told with the next move."""
        self._put_back += int(seconds * SECOND)

    async def sleep(self, seconds: float) -> None:
        """Until a test has moved the clock that far."""
        due = self._now + int(seconds * SECOND)
        await asyncio.sleep(0)
        while self._now < due:
            await self._moved.wait()

    async def govern(self, db: Database) -> None:
        """From now on this database goes by this clock."""
        self._governed.append(db)
        await self._tell(db)

    async def advance(self, seconds: float) -> None:
        self._now += int(seconds * SECOND)
        for db in self._governed:
            await self._tell(db)
        self._moved.set()
        self._moved = asyncio.Event()
        # Also where nothing else waits: whoever slept until now has their turn.
        await asyncio.sleep(0)

    async def _tell(self, db: Database) -> None:
        if db.engine is SqlEngine.POSTGRES:
            now = self.now_micros()  # a number of ours: nothing to escape
            await db.write(lambda tx: tx.script(f"UPDATE test_clock SET now_micros = {now}"))  # noqa: S608


class HurriedClock:
    """Whoever sleeps moves it on, so that nobody waits; it remembers how long they would have."""

    def __init__(self) -> None:
        self._now = START_MICROS
        self.slept: list[float] = []

    def now_micros(self) -> int:
        return self._now

    def monotonic(self) -> float:
        # From zero: what a float keeps of a second is less, the more seconds there were before.
        return (self._now - START_MICROS) / SECOND

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self._now += round(seconds * SECOND)
        if seconds > 0:
            self.slept.append(seconds)
