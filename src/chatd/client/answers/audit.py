"""The audit."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


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
    outcome: str
    changes: Mapping[str, Any] = {}


class AuditPage(Struct, frozen=True, kw_only=True):
    entries: tuple[AuditEntry, ...]
    next: str | None = None


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
