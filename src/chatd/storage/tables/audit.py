"""The audit: rows that tell who did what. They are written in the transaction of the deed, both or none.

Rule 1: `record` is given the connection of the deed's own transaction, and comes last in it: its row has the
time at which it was written, and who reads the audit waits ten seconds for the commit.
Rule 2: no statement changes a row, but the purge and the blanking of addresses.
"""

from chatd.domain.people.audit import AskedBy, AuditEntry, written_changes
from chatd.kit.ids import new_id
from chatd.storage.database import Connection


async def record(tx: Connection, by: AskedBy, entry: AuditEntry) -> None:
    """An exception of it undoes the deed: it must not be caught inside of the transaction."""
    row = (
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
    # PostgreSQL is sent it with what comes next, if that is a message.
    await tx.run_many("insert_audit", [row])
