"""The connections to PostgreSQL that are in use or ready: asyncpg's pool opens, mends and closes them.

In between they stay with us. Giving one back to asyncpg's pool makes a task, each time; three times in a turn
that was 4 % of what a turn costs.
"""

import asyncio
import time
from typing import TYPE_CHECKING

import asyncpg
import structlog

from chatd.storage.health.waiting import WAIT_SECONDS

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    RawConnection = PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]

log = structlog.get_logger()

# How long one waits for a connection while others have them all.
ACQUIRE_SECONDS = 10.0


class Connections:
    """At most so many at once. Callers who wait are served in the order in which they came."""

    def __init__(self, pool: "Pool") -> None:
        self._pool = pool
        self._turn = asyncio.Semaphore(pool.get_max_size())
        # The one that was used last comes first: its caches are warm.
        self._ready: list[RawConnection] = []
        self._waiting = 0

    @property
    def in_use(self) -> int:
        return self._pool.get_size() - self._pool.get_idle_size() - len(self._ready)

    @property
    def ready(self) -> int:
        return self._pool.get_idle_size() + len(self._ready)

    @property
    def waiting(self) -> int:
        """Callers who wait for one, while others have them all."""
        return self._waiting

    async def acquire(self) -> "RawConnection":
        """A connection, until it is given to `give_back` or to `give_up`."""
        await self._wait()
        try:
            return await self._acquired()
        except BaseException:
            self._turn.release()
            raise

    def give_back(self, raw: "RawConnection") -> None:
        """After all went well: no transaction is open, and nothing is under way."""
        self._ready.append(raw)
        self._turn.release()

    async def give_up(self, raw: "RawConnection") -> None:
        """After an error. The pool looks whether it can be used again."""
        try:
            await self._release(raw)
        finally:
            self._turn.release()

    async def close(self) -> None:
        for raw in self._ready:
            await self._release(raw)
        self._ready.clear()
        await self._pool.close()

    def terminate(self) -> None:
        self._pool.terminate()

    async def _wait(self) -> None:
        if not self._turn.locked():
            await self._turn.acquire()
            return
        self._waiting += 1
        began = time.monotonic()
        try:
            async with asyncio.timeout(ACQUIRE_SECONDS):
                await self._turn.acquire()
        finally:
            self._waiting -= 1
            WAIT_SECONDS.observe(time.monotonic() - began)

    async def _acquired(self) -> "RawConnection":
        while self._ready:
            raw = self._ready.pop()
            if not _is_closed(raw):
                return raw
            # The server has closed it meanwhile. The pool opens another one.
            await self._release(raw)
        # Not the pool's own time-out, which makes a task for each call.
        async with asyncio.timeout(ACQUIRE_SECONDS):
            return await self._pool.acquire()

    async def _release(self, raw: "RawConnection") -> None:
        try:
            await self._pool.release(raw)
        except asyncpg.InternalClientError:
            # The pool takes it back in a task of its own, and the server has closed it in between: then it is
            # the pool's already.
            log.info("database.connection_lost", exc_info=True)


def _is_closed(raw: "RawConnection") -> bool:
    """The pool takes one back by itself when it notices that the server has closed it."""
    try:
        return raw.is_closed()
    except asyncpg.InterfaceError:
        return True
