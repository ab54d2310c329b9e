"""A database that may be away, and counts how often it is used."""

from chatd.errors import Unavailable
from chatd.storage.database import Body, Database, Pace, T


class WatchedDatabase:
    def __init__(self, db: Database) -> None:
        self.engine = db.engine
        self._db = db
        self.is_away = False
        self.reads = 0
        self.writes = 0

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self._look()
        self.writes += 1
        return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        self._look()
        self.reads += 1
        return await self._db.read(body, pace=pace)

    def _look(self) -> None:
        if self.is_away:
            raise Unavailable("away")
