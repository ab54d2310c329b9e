"""Whether the server can work: its database can be read and written, with the schema that we know.

It may be asked for without a token, so the database is asked at most once a second.
"""

import asyncio
import time
from collections.abc import Callable

import structlog

from chatd.storage.database import Database, Pace
from chatd.storage.health.outage import Outage
from chatd.storage.migrate import check_schema

log = structlog.get_logger()

READY_SECONDS = 5.0
REMEMBERED_SECONDS = 1.0


class Readiness:
    def __init__(
        self, db: Database, outage: Outage, now_seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._db = db
        self._outage = outage
        self._now_seconds = now_seconds
        # One look at a time: a database that hangs is not asked by everyone at once.
        self._looking = asyncio.Lock()
        self._looked_at: float | None = None
        self._reason: str | None = None

    async def reason_against(self) -> str | None:
        """Why the server is not ready, for the log; None when it is."""
        async with self._looking:
            if self._looked_at is None or self._now_seconds() - self._looked_at >= REMEMBERED_SECONDS:
                before, self._reason = self._reason, await self._look()
                self._looked_at = self._now_seconds()
                if self._reason is not None and self._reason != before:
                    log.warning("server.not_ready", reason=self._reason)
            return self._reason

    async def _look(self) -> str | None:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await check_schema(self._db, or_newer=True)
                # Reading proves little: it goes on when the disk is full, and on a standby.
                await self._db.write(lambda tx: tx.run("prove_writable"), pace=Pace.URGENT)
        except TimeoutError:
            return f"The database does not answer within {READY_SECONDS:.0f} seconds."
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer is the same
            return str(error) or type(error).__name__
        return self._outage.recent_reason
