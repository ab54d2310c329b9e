"""SQLite: one writer that commits whatever waits together, and readers on their own connections.

Transactions that wait together share one fsync (`writer.py`). So `synchronous=FULL` costs little under
load, and a transition that was answered is on the disk. Quick reads and writes are run in the event loop.
Without threads (`inline`) everything is, for tests that own time.
"""

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from chatd.errors import Unavailable, Unusable
from chatd.storage.database import Body, ConnectionUse, Database, Pace
from chatd.storage.health.outage import Outage
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.sqlite.connection import Job, SQLiteConnection, commit_group, look
from chatd.storage.sqlite.failures import SqliteUnavailable, words_at_opening
from chatd.storage.sqlite.file_guard import FileGuard
from chatd.storage.sqlite.writer import BUSY_MILLISECONDS, Writer

T = TypeVar("T")

# Bodies that may be handed over and not answered yet; further callers wait here, in the event loop.
WAITING_MAX = 4096
READERS = 2


@asynccontextmanager
async def open_sqlite(
    path: Path, *, now_micros: Callable[[], int], inline: bool = False, outage: Outage | None = None
) -> AsyncIterator[Database]:
    """The database in this file, made if there is none. Leaving the block closes it."""
    try:
        writer, *others = [_connect(path, now_micros) for _ in range(1 if inline else 2 + READERS)]
    except sqlite3.Error as error:
        raise Unusable(f"Cannot open the database {path}: {words_at_opening(error)}") from error
    if inline:
        try:
            yield InlineSQLite(writer)
        finally:
            writer.close()
        return
    here, *readers = others
    for reader in others:
        # What is read without a transaction around it is not rolled back.
        reader.execute("PRAGMA query_only = ON")
    database = SQLite(writer, readers, here, guard=FileGuard(path), outage=outage)
    try:
        yield database
    finally:
        await database.close()


def _connect(path: Path, now_micros: Callable[[], int]) -> sqlite3.Connection:
    # One thread uses each connection at a time; which one changes when the event loop closes it.
    raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    raw.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = FULL")
    raw.execute("PRAGMA foreign_keys = ON")
    raw.create_function("chatd_now", 0, now_micros)
    return raw


class SQLite:
    engine = SqlEngine.SQLITE

    def __init__(
        self,
        writer: sqlite3.Connection,
        readers: Sequence[sqlite3.Connection],
        here: sqlite3.Connection | None = None,
        *,
        guard: FileGuard | None = None,
        outage: Outage | None = None,
    ) -> None:
        """`here` is the connection on which the event loop itself reads; without one the threads do."""
        queries = queries_for(self.engine)
        self._reads: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._room = asyncio.Semaphore(WAITING_MAX)
        self._outage = outage or Outage()
        self._closed = False
        self._under_way = 0
        self._writer = Writer(writer, queries, guard)
        self._here = (here, SQLiteConnection(here, queries)) if here is not None else None
        self._threads = [
            threading.Thread(target=_read_all, args=(reader, queries, self._reads), name="sqlite reader")
            for reader in readers
        ]
        for thread in self._threads:
            thread.start()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        written: T = await self._hand_over(self._writer.put, body, pace)
        if self._outage.goes_on:
            # Reads prove nothing: they go on while the disk is full.
            self._outage.note_success()
        return written

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not pace.is_quick or self._here is None or self._closed:
            return await self._hand_over(self._put_read, body, pace)
        job: Job[T] = Job(body, asyncio.get_running_loop(), pace)
        look(*self._here, job)
        if isinstance(job.error, SqliteUnavailable):
            self._note(job.error)
        return job.outcome()

    def _put_read(self, job: Job[Any]) -> None:
        if self._reads.qsize():
            job.waits_since = time.monotonic()
        self._reads.put(job)

    def connection_use(self) -> ConnectionUse:
        """Transactions that are committed together use one connection."""
        waiting = self._writer.waiting + self._reads.qsize()
        # A caller who was cancelled waits no more, and what they asked for still does.
        in_use = max(0, min(self._under_way - waiting, 1 + len(self._threads)))
        return ConnectionUse(in_use=in_use, ready=1 + len(self._threads) - in_use, waiting=waiting)

    async def close(self) -> None:
        """Finish what waits, then end the threads."""
        self._closed = True
        for _ in self._threads:
            self._reads.put(None)
        await self._writer.close()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        if self._here is not None:
            self._here[0].close()

    async def _hand_over(self, put: Callable[[Job[T]], None], body: Body[T], pace: Pace) -> T:
        async with self._room:
            if self._closed:
                raise Unavailable("The database is closed.")  # No thread is left that would answer.
            job = Job(body, asyncio.get_running_loop(), pace)
            put(job)
            self._under_way += 1
            try:
                return await job.answered
            except SqliteUnavailable as error:
                self._note(error)
                raise
            finally:
                self._under_way -= 1

    def _note(self, error: SqliteUnavailable) -> None:
        self._outage.note_failure(error.kind, str(error), level=logging.ERROR)


def _read_all(
    raw: sqlite3.Connection, queries: Mapping[str, str], jobs: "queue.SimpleQueue[Job[Any] | None]"
) -> None:
    """A reader thread: one consistent snapshot for each body."""
    connection = SQLiteConnection(raw, queries)
    while (job := jobs.get()) is not None:
        look(raw, connection, job)
        _answer(job)
        # Free the result while we wait for the next job: it may be a whole history.
        del job
    raw.close()


def _answer(job: Job[Any]) -> None:
    """Back to the event loop."""
    try:
        job.loop.call_soon_threadsafe(job.answer)
    except RuntimeError:
        pass  # The loop is gone, and with it the caller.


class InlineSQLite:
    """The same promises without threads: each transaction runs where it is asked for."""

    engine = SqlEngine.SQLITE

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw
        self._connection = SQLiteConnection(raw, queries_for(self.engine))

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - no other waits
        job = Job(body, asyncio.get_running_loop())
        commit_group(self._raw, self._connection, [job])
        return job.outcome()

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - as above
        job = Job(body, asyncio.get_running_loop())
        look(self._raw, self._connection, job)
        return job.outcome()
