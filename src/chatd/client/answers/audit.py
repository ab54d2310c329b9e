"""The audit."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from chatd.client.pages import CursorPage, Query


class AuditUser(Struct, frozen=True, kw_only=True):
    id: str
    # None: the user is gone.
    name: str | None = None


class AuditEntry(Struct, frozen=True, kw_only=True):
    id: str
    at: str
    actor: AuditUser | None = None
    on_behalf_of: AuditUser | None = None
    via: str
    token_id: str | None = None
    address: str | None = None
    request_id: str | None = None
    deed: str
    target_kind: str
    target_id: str
    # Of a user or a service.
    target_name: str | None = None
    outcome: str
    changes: Mapping[str, Any] = {}


class AuditPage(CursorPage[AuditEntry], frozen=True, kw_only=True):
    entries: tuple[AuditEntry, ...]

    @property
    def items(self) -> tuple[AuditEntry, ...]:
        return self.entries

    def following(self, asked: Query) -> Query | None:
        """From the oldest on, there is always a `next`: for what is still to come."""
        return super().following(asked) if self.entries else None


class AuditSeal(Struct, frozen=True, kw_only=True):
    number: int
    at: str
    up_to: str
    hash: str


class AuditVerified(Struct, frozen=True, kw_only=True):
    intact: bool
    # The numbers of seals that do not fit their entries, or are missing.
    broken: tuple[int, ...] = ()
    seals: int
    entries: int
    newest: AuditSeal | None = None
