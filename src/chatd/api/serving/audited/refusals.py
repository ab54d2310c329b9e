"""What was refused to callers who are known, for the audit: ten rows in a minute for each, then a count.

Nothing was done, so there is no transaction to be part of. What is counted is in memory until its minute is
over, and then written down beside the requests, many counts in a transaction. A server that is stopped writes
down what it has; one that is killed takes at most a minute and a little more along.
"""

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.api.serving.limits.rate import alone
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditEntry, AuditOutcome, Changes, TargetKind
from chatd.domain.people.deeds import Deed
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.kit.text import is_plain
from chatd.storage.database import Database
from chatd.storage.tables.audit import record, record_all

log = structlog.get_logger()

ROWS_PER_MINUTE = 10
MINUTE_SECONDS = 60.0
# One more, and the minute of the one that began first is over.
ACTORS_MAX = 10_000
# Counts that wait for the database. What is beyond is told as one, without the names of the callers.
COUNTS_MAX = 10_000
# Of one transaction.
COUNTS_AT_ONCE = 500
# Between two looks at which minutes are over.
LOOK_SECONDS = 10.0
# How long a server that is stopped tries to write down what it has.
CLOSE_SECONDS = 2.0


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
        self,
        db: Database,
        now_seconds: Callable[[], float],
        *,
        servers: Callable[[], int] = alone,
        actors_max: int = ACTORS_MAX,
        counts_max: int = COUNTS_MAX,
    ) -> None:
        """`servers` share what there is of rows."""
        self._actors_max = actors_max
        self._counts_max = counts_max
        self._db = db
        self._now = now_seconds
        self._servers = servers
        # In the order in which they began.
        self._minutes: OrderedDict[tuple[str | None, str | None], _Minute] = OrderedDict()
        # What is to be written down, of minutes that are over.
        self._counts: deque[tuple[AskedBy, AuditEntry]] = deque()
        # Of how many further minutes, and how much in all.
        self._others = 0
        self._others_counted = 0

    async def note(self, by: AskedBy, entry: AuditEntry) -> None:
        """Raises Unavailable: what cannot be written down is not answered either."""
        minute = self._minute_of(by)
        if minute.rows < math.ceil(ROWS_PER_MINUTE / self._servers()):
            minute.rows += 1
            await self._db.write(lambda tx: record(tx, by, entry))
        else:
            minute.counted += 1
            minute.entry = entry

    async def flush(self) -> None:
        """Write down how many there were in the minutes that are over. Raises Unavailable."""
        now = self._now()
        while self._minutes and now - next(iter(self._minutes.values())).began >= MINUTE_SECONDS:
            self._end_oldest()
        await self._write_counts()

    async def run(self, clock: Clock) -> None:
        """For as long as the server runs."""
        while True:
            await clock.sleep(LOOK_SECONDS)
            try:
                await self.flush()
            except Unavailable:
                pass  # The database has said so in the log.

    async def close(self) -> None:
        """The server ends: what was counted until now is written down, if the database takes it."""
        while self._minutes:
            self._end_oldest()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._write_counts()
        except (Unavailable, TimeoutError):
            log.warning("refusals.lost", counts=len(self._counts) + self._others)

    def _minute_of(self, by: AskedBy) -> _Minute:
        who = by.actor_id, by.on_behalf_of
        minute = self._minutes.get(who)
        if minute is not None and self._now() - minute.began >= MINUTE_SECONDS:
            self._end(self._minutes.pop(who))
            minute = None
        if minute is None:
            if len(self._minutes) >= self._actors_max:
                self._end_oldest()
            minute = self._minutes[who] = _Minute(self._now(), by)
        return minute

    def _end_oldest(self) -> None:
        self._end(self._minutes.popitem(last=False)[1])

    def _end(self, minute: _Minute) -> None:
        if minute.entry is None:
            return
        if len(self._counts) >= self._counts_max:
            self._others += 1
            self._others_counted += minute.counted
            return
        # Of several requests: they had none in common.
        by = replace(minute.by, request_id=None)
        self._counts.append((by, _counted(minute.entry, {"count": minute.counted})))

    async def _write_counts(self) -> None:
        """Those that are there now; others that come meanwhile are for the next look."""
        for _ in range(0, len(self._counts), COUNTS_AT_ONCE):
            batch = [self._counts[index] for index in range(min(COUNTS_AT_ONCE, len(self._counts)))]
            await self._db.write(lambda tx, batch=batch: record_all(tx, batch))  # type: ignore[misc]
            for _ in batch:
                self._counts.popleft()
        if self._others:
            others, counted = self._others, self._others_counted
            entry = AuditEntry(
                deed=Deed.ENTER,
                target_kind=TargetKind.ROUTE,
                target_id="",
                outcome=AuditOutcome.REFUSED,
                changes={"count": counted, "callers": others},
            )
            await self._db.write(lambda tx: record(tx, THE_SERVER, entry))
            self._others -= others
            self._others_counted -= counted


@asynccontextmanager
async def open_refusals(db: Database, clock: Clock, *, servers: Callable[[], int]) -> AsyncIterator[Refusals]:
    """For a server. When the block ends, nothing is left that was only counted."""
    refusals = Refusals(db, clock.monotonic, servers=servers)
    yield refusals
    await refusals.close()


def _counted(entry: AuditEntry, changes: Changes) -> AuditEntry:
    return replace(entry, target_kind=TargetKind.ROUTE, target_id="", changes=changes)


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
