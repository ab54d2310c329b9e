"""How often public links were opened: counted in memory, and written down once a minute.

So whoever opens one a thousand times costs the database no more than one who does so once.
"""

from collections import Counter

import structlog

from chatd.kit.clock import Clock
from chatd.storage.database import Database

log = structlog.get_logger()

WRITTEN_SECONDS = 60.0
# Links that are counted between two times; of more, none is.
COUNTED_MAX = 10_000


class Openings:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._counts: Counter[str] = Counter()

    def note(self, link_id: str) -> None:
        if link_id in self._counts or len(self._counts) < COUNTED_MAX:
            self._counts[link_id] += 1

    async def flush(self) -> None:
        """Write down what was counted. What could not be is counted on.

        One by one: a chat that is deleted meanwhile takes its links in an order of its own.
        """
        for link_id, count in list(self._counts.items()):
            await self._db.write(lambda tx, row=(link_id, count): tx.run("count_opened", *row))  # type: ignore[misc]
            self._counts[link_id] -= count
            if not self._counts[link_id]:
                del self._counts[link_id]

    async def run(self, clock: Clock) -> None:
        """For as long as the server runs. One that is killed takes a minute's along."""
        while True:
            await clock.sleep(WRITTEN_SECONDS)
            try:
                await self.flush()
            except Exception:
                # That a number is late is no reason to stop.
                log.warning("openings.not_written", exc_info=True)
