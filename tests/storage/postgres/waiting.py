"""A connection of a test's own, and who waits for a row."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

Raw = asyncpg.Connection


@asynccontextmanager
async def connected(url: str) -> AsyncIterator["Raw[asyncpg.Record]"]:
    raw = await asyncpg.connect(url)
    try:
        yield raw
    finally:
        await raw.close()


async def until_waiting(url: str, how_many: int) -> None:
    """Until so many transactions wait for a lock that another one has."""
    async with connected(url) as raw:
        waiting = 0
        while waiting < how_many:
            waiting = await raw.fetchval(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )


async def until_standing_still(url: str) -> None:
    """Until a transaction that has locked something waits for the rest of a statement."""
    async with connected(url) as raw:
        while not await raw.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND state = 'active' AND wait_event = 'ClientRead' AND backend_xid IS NOT NULL"
        ):
            pass
