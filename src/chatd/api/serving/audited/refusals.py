"""What was refused to callers who are known, for the audit: ten rows in a minute for each, then a count.

Nothing was done, so there is no transaction to be part of. What is counted is in memory until its minute is
over; a server that is killed takes at most that along.
"""

import math
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from chatd.api.serving.limits.rate import alone
from chatd.domain.people.audit import AskedBy, AuditEntry, AuditOutcome, TargetKind
from chatd.domain.people.deeds import Deed
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.kit.text import is_plain
from chatd.storage.database import Database
from chatd.storage.tables.audit import record

ROWS_PER_MINUTE = 10
MINUTE_SECONDS = 60.0
# One more, and the minute of the one that began first is over.
ACTORS_MAX = 10_000


class _Minute(Struct):
    """What was refused to one caller since it began."""

    began: float
    by: AskedBy
    rows: int = 0
    counted: int = 0
    # Of the last that was only counted.
    entry: AuditEntry | None = None


class Refusals:
    def __init__(
        self, db: Database, now_seconds: Callable[[], float], *, servers: Callable[[], int] = alone
    ) -> None:
        """`servers` share what there is of rows."""
        self._db = db
        self._now = now_seconds
        self._servers = servers
        # In the order in which they began.
        self._minutes: OrderedDict[tuple[str | None, str | None], _Minute] = OrderedDict()

    async def note(self, by: AskedBy, entry: AuditEntry) -> None:
        """Raises Unavailable: what cannot be written down is not answered either."""
        await self.flush()
        who = by.actor_id, by.on_behalf_of
        minute = self._minutes.setdefault(who, _Minute(self._now(), by))
        if minute.rows < math.ceil(ROWS_PER_MINUTE / self._servers()):
            minute.rows += 1
            await self._db.write(lambda tx: record(tx, by, entry))
        else:
            minute.counted += 1
            minute.entry = entry

    async def flush(self) -> None:
        """Write down how many there were in the minutes that are over."""
        now = self._now()
        while self._minutes:
            who, minute = next(iter(self._minutes.items()))
            if now - minute.began < MINUTE_SECONDS and len(self._minutes) <= ACTORS_MAX:
                return
            del self._minutes[who]
            if minute.entry is None:
                continue
            entry = replace(
                minute.entry,
                target_kind=TargetKind.ROUTE,
                target_id="",
                changes={"count": minute.counted},
            )
            # Of several requests: they had none in common.
            by = replace(minute.by, request_id=None)
            await self._db.write(lambda tx, by=by, entry=entry: record(tx, by, entry))  # type: ignore[misc]

    async def run(self, clock: Clock) -> None:
        """For as long as the server runs."""
        while True:
            await clock.sleep(MINUTE_SECONDS)
            try:
                await self.flush()
            except Unavailable:
                pass  # The database has said so in the log.


def refused_entry(deed: Deed, route: str, chat_id: str | None, code: str) -> AuditEntry:
    """That somebody was told that they may not. `chat_id` is what the path says, and may be anything."""
    is_chat = chat_id is not None and is_plain(chat_id)
    return AuditEntry(
        deed=deed,
        target_kind=TargetKind.CHAT if is_chat else TargetKind.ROUTE,
        target_id=chat_id if is_chat and chat_id is not None else route,
        outcome=AuditOutcome.REFUSED,
        changes={"code": code, "route": route},
    )
