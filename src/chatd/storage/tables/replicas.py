"""The servers that share this database. One row each, by the database's clock."""

from msgspec import Struct

from chatd.domain.ids import Micros
from chatd.domain.limits import LEASE_STALE_MICROS
from chatd.storage.database import Connection, Database, Pace


class Replica(Struct, frozen=True, kw_only=True):
    """What a server tells of itself."""

    id: str
    host: str
    version: str
    # None: it answers no requests.
    address: str | None
    # None: it drives no chats.
    worker_id: str | None


class LiveReplica(Struct, frozen=True, kw_only=True):
    replica: Replica
    started_at: Micros
    quiet_micros: int
    chats: int


async def beat(db: Database, replica: Replica) -> int:
    """Say that it is alive. Returns how many servers answer requests, this one among them."""

    async def body(tx: Connection) -> int:
        await tx.run(
            "beat_replica", replica.id, replica.host, replica.version, replica.address, replica.worker_id
        )
        row = await tx.one("count_serving_replicas", LEASE_STALE_MICROS)
        assert row is not None
        return int(row[0])

    return await db.write(body, pace=Pace.URGENT)


async def live_replicas(db: Database) -> list[LiveReplica]:
    async def body(tx: Connection) -> list[LiveReplica]:
        return [
            LiveReplica(
                replica=Replica(id=id_, host=host, version=version, address=address, worker_id=worker_id),
                started_at=Micros(started_at),
                quiet_micros=quiet,
                chats=chats,
            )
            for id_, host, version, address, worker_id, started_at, quiet, chats in await tx.all(
                "live_replicas", LEASE_STALE_MICROS
            )
        ]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def forget(db: Database, replica_id: str) -> None:
    await db.write(lambda tx: tx.run("forget_replica", replica_id))


async def sweep(db: Database) -> None:
    """Remove the rows of servers that have gone quiet."""
    await db.write(lambda tx: tx.run("forget_quiet_replicas", LEASE_STALE_MICROS))
