"""Which workers are alive, and which chats have none. One row per worker, by the database's clock."""

from collections.abc import Sequence

from chatd.domain.ids import SECOND, ChatId, UserId, WorkerId
from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace

# Instead of a JSON list of users.
_EVERYONE = "*"


async def beat(db: Database, worker_id: WorkerId) -> None:
    """One small update however many chats the worker drives. The first one must come before any Acquire."""
    await db.write(lambda tx: tx.run("beat", worker_id), pace=Pace.URGENT)


async def forget_worker(db: Database, worker_id: WorkerId) -> None:
    """A worker that ends in order hands its chats over at once."""
    await db.write(lambda tx: tx.run("forget_worker", worker_id))


async def forget_everyone(db: Database) -> None:
    """For an embedded server that starts: a worker that held a chat in this data directory is dead."""
    await db.write(lambda tx: tx.run("forget_all_workers"))


async def sweep(db: Database) -> None:
    """Remove the rows of workers that have gone quiet. Their chats are free with or without this."""
    await db.write(lambda tx: tx.run("forget_quiet_workers", LEASE_STALE_MICROS))


async def quiet_seconds(db: Database, worker_id: WorkerId) -> float | None:
    """How long ago this worker gave its last sign of life. None: it is forgotten."""
    row = await db.read(lambda tx: tx.one("quiet_for", worker_id), pace=Pace.ONE_QUERY)
    return row[0] / SECOND if row is not None else None


async def chats_of_worker(db: Database, worker_id: WorkerId) -> list[ChatId]:
    async def body(tx: Connection) -> list[ChatId]:
        return [row[0] for row in await tx.all("chats_of_worker", worker_id)]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def chats_without_worker(
    db: Database,
    *,
    limit: int,
    stale_micros: int = LEASE_STALE_MICROS,
    without: Sequence[UserId] | None = (),
    without_children: Sequence[UserId] | None = (),
) -> list[ChatId]:
    """A worker that has been quiet for longer than this is taken for dead.

    `without` are users whose chats are left where they are, unless they are to be stopped; None: those of all
    users. `without_children` is the same for chats that work for others.
    """
    owners = [_EVERYONE if users is None else encode_text(users) for users in (without, without_children)]

    async def body(tx: Connection) -> list[ChatId]:
        return [row[0] for row in await tx.all("chats_without_worker", stale_micros, limit, *owners)]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)
