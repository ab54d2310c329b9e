"""Reading the audit, page by page, in either direction.

A page has only what is older than ten seconds. Rows have the time at which they were written, and become
visible when their transaction commits; whoever has read up to a time then finds nothing new before it.
"""

from enum import Enum, auto

from msgspec import Struct

from chatd.domain.ids import Micros, UserId
from chatd.domain.people.audit import AuditOutcome
from chatd.storage.database import Database, Row

SETTLED_MICROS = 10 * 1_000_000
PAGE_ROWS_MAX = 1000
# Beyond every time there is.
_LAST = 2**62


class Order(Enum):
    NEWEST = auto()
    OLDEST = auto()


class AuditPlace(Struct, frozen=True, array_like=True):
    """Where a page ends."""

    at: Micros
    id: str


class AuditFilter(Struct, frozen=True, kw_only=True):
    """What is not named is not looked at."""

    actor_id: str | None = None
    deed: str | None = None
    target_id: str | None = None
    outcome: AuditOutcome | None = None
    since: int = 0
    until: int = _LAST


EVERYTHING = AuditFilter()


class AuditRow(Struct, frozen=True, kw_only=True):
    id: str
    at: Micros
    actor_id: UserId | None
    on_behalf_of: UserId | None
    via: str
    token_id: str | None
    address: str | None
    request_id: str | None
    deed: str
    target_kind: str
    target_id: str
    outcome: str
    # JSON.
    changes: str

    @property
    def place(self) -> AuditPlace:
        return AuditPlace(self.at, self.id)


async def read_audit(
    db: Database,
    wanted: AuditFilter = EVERYTHING,
    *,
    order: Order = Order.OLDEST,
    place: AuditPlace | None = None,
    limit: int = PAGE_ROWS_MAX,
    settled_micros: int = SETTLED_MICROS,
) -> list[AuditRow]:
    """What comes behind the place in this order."""
    if order is Order.OLDEST:
        query, place = "audit_after", place or AuditPlace(Micros(-1), "")
    else:
        query, place = "audit_before", place or AuditPlace(Micros(_LAST), "")
    rows = await db.read(
        lambda tx: tx.all(
            query,
            place.at,
            place.id,
            settled_micros,
            limit,
            wanted.actor_id,
            wanted.deed,
            wanted.target_id,
            wanted.outcome.value if wanted.outcome is not None else None,
            wanted.since,
            wanted.until,
        )
    )
    return [audit_row_of(row) for row in rows]


def audit_row_of(row: Row) -> AuditRow:
    return AuditRow(**dict(zip(AuditRow.__struct_fields__, row, strict=True)))
