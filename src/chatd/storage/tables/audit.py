"""The audit: rows that tell who did what. They are written in the transaction of the deed, both or none.

Rule 1: `record` is given the connection of the deed's own transaction, and comes last in it: its row has the
time at which it was written, and who reads the audit waits ten seconds for the commit.
Rule 2: no statement changes a row, but the purge and the blanking of addresses.
"""

from collections.abc import Sequence

from chatd.domain.people.audit import AskedBy, AuditEntry, written_changes
from chatd.kit.ids import new_id
from chatd.storage.database import Connection

# How often it is written down that the same user reads the same.
READ_MICROS = 3600 * 1_000_000


async def record(tx: Connection, by: AskedBy, entry: AuditEntry) -> None:
    """An exception of it undoes the deed: it must not be caught inside of the transaction."""
    # PostgreSQL is sent it with what comes next, if that is a message.
    await tx.run_many("insert_audit", [_values(by, entry)])


async def record_all(tx: Connection, entries: Sequence[tuple[AskedBy, AuditEntry]]) -> None:
    """Several of them, which nothing else belongs to."""
    await tx.run_many("insert_audit", [_values(by, entry) for by, entry in entries])


async def record_read(tx: Connection, by: AskedBy, entry: AuditEntry) -> None:
    """The same, once an hour. Of two servers at once, the second one waits, and sees the row of the first."""
    if by.actor_id is not None:
        await tx.one("lock_user", by.actor_id)
    await tx.run("insert_audit_read", *_values(by, entry), READ_MICROS)


def _values(by: AskedBy, entry: AuditEntry) -> tuple[object, ...]:
    return (
        new_id(),
        by.actor_id,
        by.on_behalf_of,
        by.via.value,
        by.token_id,
        by.address,
        by.request_id,
        entry.deed.value,
        entry.target_kind.value,
        entry.target_id,
        entry.outcome.value,
        written_changes(entry.changes),
    )
