"""The servers that share a database."""

from msgspec import Struct

from chatd.kit.clock import rfc3339
from chatd.live.shapes import Moment
from chatd.storage.tables.replicas import LiveReplica


class ReplicaView(Struct, frozen=True, kw_only=True):
    """One of them. `address` is null if it answers no requests, and `worker_id` if it drives no chats."""

    id: str
    host: str
    version: str
    address: str | None
    worker_id: str | None
    # Chats that it drives now.
    chats: int
    started_at: Moment
    # Since its last sign of life, which it gives every 3 seconds.
    quiet_ms: int


class ReplicaList(Struct, frozen=True, kw_only=True):
    replicas: tuple[ReplicaView, ...]


def replica_view(found: LiveReplica) -> ReplicaView:
    replica = found.replica
    return ReplicaView(
        id=replica.id,
        host=replica.host,
        version=replica.version,
        address=replica.address,
        worker_id=replica.worker_id,
        chats=found.chats,
        started_at=rfc3339(found.started_at),
        quiet_ms=found.quiet_micros // 1000,
    )
