"""Files, health and errors."""

from msgspec import Struct


class AddedFile(Struct, frozen=True, kw_only=True):
    id: str
    name: str = ""
    media_type: str = ""
    size_bytes: int = 0


class Health(Struct, frozen=True, kw_only=True):
    status: str


class ErrorDetail(Struct, frozen=True, kw_only=True):
    code: str
    message: str
    field: str | None = None
    hint: str | None = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    error: ErrorDetail


class Replica(Struct, frozen=True, kw_only=True):
    """A server of a fleet. `address` is None if it answers no requests, `worker_id` if it drives no chat."""

    id: str
    host: str = ""
    version: str = ""
    address: str | None = None
    worker_id: str | None = None
    chats: int = 0
    started_at: str = ""
    quiet_ms: int = 0


class ReplicaList(Struct, frozen=True, kw_only=True):
    replicas: tuple[Replica, ...] = ()
