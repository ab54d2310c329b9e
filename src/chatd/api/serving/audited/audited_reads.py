"""What administrators read of chats of others, for the audit: one row an hour for each of both.

The database tells whether there is one already. For a minute that it was asked is remembered, so that a page
that looks at a chat in many requests, or a stream that is open for hours, costs no transaction each time.
"""

from collections.abc import Callable

from chatd.domain.people.audit import AskedBy, AuditDeed, AuditEntry, TargetKind
from chatd.storage.database import Database
from chatd.storage.tables.audit import record_read

KNOWN_SECONDS = 60.0
KNOWN_MAX = 10_000


class AuditedReads:
    def __init__(self, db: Database, now_seconds: Callable[[], float]) -> None:
        self._db = db
        self._now = now_seconds
        # Until when it need not be asked, the oldest first.
        self._known: dict[tuple[str | None, str], float] = {}

    async def note_chat(self, by: AskedBy, chat_id: str) -> None:
        """Before anything of it is told. Raises Unavailable: what cannot be written down is not shown."""
        await self._note(by, read_of(TargetKind.CHAT, chat_id))

    async def note_file(self, by: AskedBy, file_id: str) -> None:
        """The same for a file of a chat that is not the caller's."""
        await self._note(by, read_of(TargetKind.FILE, file_id))

    async def _note(self, by: AskedBy, entry: AuditEntry) -> None:
        key, now = (by.actor_id, entry.target_id), self._now()
        if self._known.get(key, 0.0) > now:
            return
        await self._db.write(lambda tx: record_read(tx, by, entry))
        self._known.pop(key, None)
        while len(self._known) >= KNOWN_MAX:
            del self._known[next(iter(self._known))]
        self._known[key] = now + KNOWN_SECONDS


def read_of(kind: TargetKind, target_id: str) -> AuditEntry:
    return AuditEntry(deed=AuditDeed.CHAT_READ, target_kind=kind, target_id=target_id)
