"""A database whose process dies in the middle of a transaction, at the statement that a test has chosen."""

from collections.abc import Sequence
from typing import TypeVar

from chatd.errors import Unavailable
from chatd.storage.database import Body, Connection, Database, Pace, Row

T = TypeVar("T")


class Dies(Unavailable):
    """As if the database were away: no traceback is logged, which takes longer than all the rest."""

    def __init__(self) -> None:
        super().__init__("The test has ended this transaction.")


class Dying:
    """Writes go well for so many statements, counted over all transactions. Then nothing is committed.

    The end of a body counts as a statement: it dies right before its commit. `at` is the name of a query at
    which it dies instead.
    """

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.left: int | None = None
        self.at = ""

    def step(self, query: str = "") -> None:
        if query and query == self.at:
            raise Dies
        if self.left is not None:
            if not self.left:
                raise Dies
            self.left -= 1

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        async def watched(tx: Connection) -> T:
            result = await body(_DyingConnection(tx, self))
            self.step()
            return result

        return await self._db.write(watched, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.read(body, pace=pace)


class _DyingConnection:
    def __init__(self, tx: Connection, database: Dying) -> None:
        self._tx = tx
        self._step = database.step

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        self._step(query)
        return await self._tx.all(query, *args)

    async def one(self, query: str, *args: object) -> Row | None:
        self._step(query)
        return await self._tx.one(query, *args)

    async def run(self, query: str, *args: object) -> None:
        self._step(query)
        await self._tx.run(query, *args)

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        self._step(query)
        await self._tx.run_many(query, rows)

    async def script(self, sql: str) -> None:
        self._step()
        await self._tx.script(sql)
