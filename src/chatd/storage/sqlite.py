"""SQLite: one writer thread that commits whatever waits together, and readers on their own connections.

Waiting transitions are drained from a queue into one transaction, a savepoint each, and share
one fsync. So `synchronous=FULL` costs little under load, and a transition that was answered is
on the disk. Without threads (`inline`) the same code runs in the event loop, for tests that own time.
"""

import asyncio
import logging
import queue
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from chatd.errors import Unavailable, Unusable
from chatd.storage.database import Body, Database, Pace, Row
from chatd.storage.file_guard import FileGuard
from chatd.storage.outage import Outage
from chatd.storage.queries import Dialect, queries_for
from chatd.storage.sqlite_failures import SqliteUnavailable, explained, words_at_opening

T = TypeVar("T")

# Transitions that share one commit. More would only make the first of them wait.
GROUP_MAX = 64
# Bodies that may be handed over and not answered yet; further callers wait here, in the event loop.
WAITING_MAX = 4096
READERS = 2
BUSY_MILLISECONDS = 5000

_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@asynccontextmanager
async def open_sqlite(
    path: Path, *, now_micros: Callable[[], int], inline: bool = False, outage: Outage | None = None
) -> AsyncIterator[Database]:
    """The database in this file, made if there is none. Leaving the block closes it."""
    try:
        writer, *readers = [_connect(path, now_micros) for _ in range(1 if inline else 1 + READERS)]
    except sqlite3.Error as error:
        raise Unusable(f"Cannot open the database {path}: {words_at_opening(error)}") from error
    if inline:
        try:
            yield InlineSQLite(writer)
        finally:
            writer.close()
        return
    database = SQLite(writer, readers, guard=FileGuard(path), outage=outage)
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


class SQLiteConnection:
    """Named queries on one connection. Nothing here ever waits, so a thread can drive a whole body."""

    def __init__(self, raw: sqlite3.Connection, queries: Mapping[str, str]) -> None:
        self._raw = raw
        self._queries = queries

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        return self._raw.execute(self._queries[query], args).fetchall()

    async def one(self, query: str, *args: object) -> Row | None:
        row: Row | None = self._raw.execute(self._queries[query], args).fetchone()
        return row

    async def run(self, query: str, *args: object) -> None:
        self._raw.execute(self._queries[query], args)

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        self._raw.executemany(self._queries[query], rows)

    async def script(self, sql: str) -> None:
        for statement in _statements(sql):
            self._raw.execute(statement)


def _statements(sql: str) -> list[str]:
    """The statements of a script. sqlite3's own executescript would commit the transaction first."""
    statements, pending = [], ""
    *pieces, rest = sql.split(";")
    for piece in pieces:
        # A semicolon inside a literal or a comment ends nothing.
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    assert not _COMMENTS.sub("", pending + rest).strip(), f"a statement lacks its semicolon: {pending + rest}"
    return statements


class _Job(Generic[T]):
    """A body on its way through a thread, and the caller who waits for it."""

    def __init__(self, body: Body[T], loop: asyncio.AbstractEventLoop) -> None:
        self.body = body
        self.loop = loop
        self.answered: asyncio.Future[T] = loop.create_future()
        self.result: T | None = None
        self.error: BaseException | None = None

    def perform(self, connection: SQLiteConnection) -> bool:
        """Run the body; False when it failed and must be undone."""
        try:
            self.result = _run_through(self.body(connection))
        except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
            self.error = explained(error)
            return False
        return True

    def fail(self, error: BaseException) -> None:
        """What was done is undone, whatever it was. A body's own error tells more than what followed it."""
        self.error = self.error or explained(error)

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # perform() has set it

    def answer(self) -> None:
        if self.answered.done():
            return  # The caller was cancelled. What was committed stays committed.
        if self.error is not None:
            self.answered.set_exception(self.error)
        else:
            self.answered.set_result(self.outcome())


def _run_through(body: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that waits for nothing."""
    try:
        body.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    body.close()
    raise AssertionError("a transaction waited for something other than its connection")


class SQLite:
    dialect = Dialect.SQLITE

    def __init__(
        self,
        writer: sqlite3.Connection,
        readers: Sequence[sqlite3.Connection],
        *,
        guard: FileGuard | None = None,
        outage: Outage | None = None,
    ) -> None:
        queries = queries_for(self.dialect)
        self._writes: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._room = asyncio.Semaphore(WAITING_MAX)
        self._outage = outage or Outage()
        self._closed = False
        self._threads = [
            threading.Thread(
                target=_write_all, args=(writer, queries, self._writes, guard), name="sqlite writer"
            )
        ]
        self._threads += [
            threading.Thread(target=_read_all, args=(reader, queries, self._reads), name="sqlite reader")
            for reader in readers
        ]
        for thread in self._threads:
            thread.start()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - nobody waits long
        written = await self._hand_over(self._writes, body)
        if self._outage.goes_on:
            # Reads prove nothing: they go on while the disk is full.
            self._outage.note_success()
        return written

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - as above
        return await self._hand_over(self._reads, body)

    async def close(self) -> None:
        """Finish what waits, then end the threads."""
        self._closed = True
        self._writes.put(None)
        for _ in self._threads[1:]:
            self._reads.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    async def _hand_over(self, jobs: "queue.SimpleQueue[_Job[Any] | None]", body: Body[T]) -> T:
        async with self._room:
            if self._closed:
                raise Unavailable("The database is closed.")  # No thread is left that would answer.
            job = _Job(body, asyncio.get_running_loop())
            jobs.put(job)
            try:
                return await job.answered
            except SqliteUnavailable as error:
                self._outage.note_failure(error.kind, str(error), level=logging.ERROR)
                raise


def _write_all(
    raw: sqlite3.Connection,
    queries: Mapping[str, str],
    jobs: "queue.SimpleQueue[_Job[Any] | None]",
    guard: FileGuard | None,
) -> None:
    """The writer thread: take what waits, commit it together, answer it together."""
    connection = SQLiteConnection(raw, queries)
    while (first := jobs.get()) is not None:
        group, ending = [first], False
        while len(group) < GROUP_MAX and not ending:
            try:
                job = jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                ending = True
            else:
                group.append(job)
        _commit_group(raw, connection, group, guard)
        _answer(group)
        if ending:
            break
    raw.close()


def _commit_group(
    raw: sqlite3.Connection,
    connection: SQLiteConnection,
    group: Sequence[_Job[Any]],
    guard: FileGuard | None = None,
) -> None:
    try:
        if guard is not None:
            guard.check()
        _roll_back(raw)
        raw.execute("BEGIN IMMEDIATE")
        if len(group) == 1:
            raw.execute("COMMIT" if group[0].perform(connection) else "ROLLBACK")
            return
        for job in group:
            raw.execute("SAVEPOINT job")
            if not job.perform(connection):
                _undo(raw, job)
            raw.execute("RELEASE job")
        raw.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001 - a thread that ended here would leave all later callers waiting
        # Not even a commit was possible (the disk is full, the file is locked): nobody got anything.
        for job in group:
            job.fail(error)
        with suppress(Exception):
            _roll_back(raw)  # If this is not possible either, it comes before the next BEGIN.


def _undo(raw: sqlite3.Connection, job: _Job[Any]) -> None:
    """Take back what one of a group did. Raises its error when SQLite has undone what all of them did."""
    if not raw.in_transaction:
        assert job.error is not None
        raise job.error  # The disk is full, or the like.
    raw.execute("ROLLBACK TO job")


def _roll_back(raw: sqlite3.Connection) -> None:
    """End what is still open, if anything is."""
    if raw.in_transaction:
        raw.execute("ROLLBACK")


def _read_all(
    raw: sqlite3.Connection, queries: Mapping[str, str], jobs: "queue.SimpleQueue[_Job[Any] | None]"
) -> None:
    """A reader thread: one consistent snapshot for each body."""
    connection = SQLiteConnection(raw, queries)
    while (job := jobs.get()) is not None:
        _look(raw, connection, job)
        _answer([job])
    raw.close()


def _look(raw: sqlite3.Connection, connection: SQLiteConnection, job: _Job[Any]) -> None:
    try:
        _roll_back(raw)
        raw.execute("BEGIN")
        job.perform(connection)
        _roll_back(raw)
    except BaseException as error:  # noqa: BLE001 - as for the writer
        job.fail(error)


def _answer(group: Sequence[_Job[Any]]) -> None:
    """Back to the event loop, in one hop for the whole group."""

    def answer_all() -> None:
        for job in group:
            job.answer()

    try:
        group[0].loop.call_soon_threadsafe(answer_all)
    except RuntimeError:
        pass  # The loop is gone, and with it everyone who waited.


class InlineSQLite:
    """The same promises without threads: each transaction runs where it is asked for."""

    dialect = Dialect.SQLITE

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw
        self._connection = SQLiteConnection(raw, queries_for(self.dialect))

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - nobody else is there
        job = _Job(body, asyncio.get_running_loop())
        _commit_group(self._raw, self._connection, [job])
        return job.outcome()

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:  # noqa: ARG002 - as above
        job = _Job(body, asyncio.get_running_loop())
        _look(self._raw, self._connection, job)
        return job.outcome()
