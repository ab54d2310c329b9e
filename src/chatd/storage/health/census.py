"""How much there is to do in a database, as numbers: for operators, whichever process they ask."""

from collections.abc import Mapping

from msgspec import Struct

from chatd.domain.ids import SECOND
from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.storage.database import Connection, Database


class Census(Struct, frozen=True, kw_only=True):
    # Chats that have work to do, by whether a live worker drives them.
    driven: int = 0
    waiting: int = 0
    # For how long nothing has happened to the first of those that wait.
    waiting_seconds: float = 0
    workers: int = 0
    # How long ago the quietest worker gave its last sign of life.
    lease_seconds: float = 0
    queued_messages: int = 0
    # Calls of tools that are not answered yet, by their state.
    calls: Mapping[str, int] = {}
    # For how long the oldest has been in this state, of those of our own tools in chats that have work to do.
    oldest_call_seconds: Mapping[str, float] = {}


async def take_census(db: Database) -> Census:
    """Looks only at what is under way, by indexes: a long history does not make it slow."""

    async def body(tx: Connection) -> Census:
        (work,) = await tx.all("count_work", LEASE_STALE_MICROS)
        (workers,) = await tx.all("count_workers")
        (queued,) = await tx.all("count_queued")
        calls = await tx.all("count_calls")
        return Census(
            driven=work[0] - work[1],
            waiting=work[1],
            waiting_seconds=max(0, work[2]) / SECOND,
            workers=workers[0],
            lease_seconds=max(0, workers[1]) / SECOND,
            queued_messages=queued[0],
            calls={row[0]: row[1] for row in calls},
            oldest_call_seconds={row[0]: max(0, row[2]) / SECOND for row in calls},
        )

    return await db.read(body)
