"""How often the database is asked."""

from chatd.storage.database import Body, Database, Pace, T


class Counting:
    """A database that counts how often it is read."""

    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.reads = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self.reads += 1
        return await self._db.read(body, pace=pace)
