"""Tells the other servers of this database that we live, and learns how many there are."""

import itertools

import structlog

from chatd.domain.limits import BEAT_SECONDS
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.storage.tables import replicas
from chatd.storage.tables.replicas import Replica

log = structlog.get_logger()

SWEEP_BEATS = 10


class Membership:
    def __init__(self, db: Database, clock: Clock, replica: Replica) -> None:
        self._db = db
        self._clock = clock
        self._replica = replica
        # Servers that answer requests, as far as is known.
        self._serving = 1
        self._fails = False

    def serving(self) -> int:
        """How many servers share the requests of a user; at least one."""
        return self._serving

    async def run(self) -> None:
        """Until cancelled."""
        for count in itertools.count():
            await self.beat(sweep=count % SWEEP_BEATS == 0)
            await self._clock.sleep(BEAT_SECONDS)

    async def beat(self, *, sweep: bool = False) -> None:
        try:
            if sweep:
                await replicas.sweep(self._db)
            self._serving = max(1, await replicas.beat(self._db, self._replica))
            self._fails = False
        except Exception as error:
            if not self._fails:
                log.warning("membership.beat_failed", exc_info=error)
            self._fails = True

    async def leave(self) -> None:
        """When nothing is served or driven any more. If it fails, the row is old in some seconds."""
        try:
            await replicas.forget(self._db, self._replica.id)
        except Exception as error:  # noqa: BLE001 - see above
            log.info("membership.not_left", error=str(error))
