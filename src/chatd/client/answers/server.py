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
