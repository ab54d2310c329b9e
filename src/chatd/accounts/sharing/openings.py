"""How often public links were opened: counted in memory, and written down once a minute.

So whoever opens one a thousand times costs the database no more than one who does so once.
"""

from collections import Counter

from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.storage.database import Connection, Database

WRITTEN_SECONDS = 60.0
# Links that are counted between two times; of more, none is.
COUNTED_MAX = 10_000
# Of one transaction.
WRITTEN_MAX = 500


class Openings:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._counts: Counter[str] = Counter()

    def note(self, link_id: str) -> None:
        if link_id in self._counts or len(self._counts) < COUNTED_MAX:
            self._counts[link_id] += 1

    async def flush(self) -> None:
        """Write down what was counted. What could not be is counted on."""
        while some := dict(self._counts.most_common(WRITTEN_MAX)):

            async def body(tx: Connection, some: dict[str, int] = some) -> None:
                for link_id, count in sorted(some.items()):
                    await tx.run("count_opened", link_id, count)

            await self._db.write(body)
            self._counts -= Counter(some)

    async def run(self, clock: Clock) -> None:
        """For as long as the server runs. One that is killed takes a minute's along."""
        while True:
            await clock.sleep(WRITTEN_SECONDS)
            try:
                await self.flush()
            except Unavailable:
                pass  # The database has said so in the log.
