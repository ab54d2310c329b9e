"""One SQLite connection: named queries, and transactions for bodies that wait for nothing.

What runs here runs in one go, in the event loop or in a thread, as the caller decides.
"""

import asyncio
import re
import sqlite3
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from chatd.storage.database import Body, Pace, Row
from chatd.storage.health.waiting import WAIT_SECONDS
from chatd.storage.sqlite.failures import explained

T = TypeVar("T")

_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


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


class Job(Generic[T]):
    """A body on its way to a connection, and the caller who waits for it."""

    def __init__(self, body: Body[T], loop: asyncio.AbstractEventLoop, pace: Pace = Pace.USUAL) -> None:
        self.body = body
        self.loop = loop
        self.is_quick = pace.is_quick
        self.is_one_query = pace in (Pace.ONE_QUERY, Pace.ONE_LONG_QUERY)
        self.answered: asyncio.Future[T] = loop.create_future()
        # Since when it waits for others to be done; None: it does not.
        self.waits_since: float | None = None
        self.result: T | None = None
        self.error: BaseException | None = None

    def perform(self, connection: SQLiteConnection) -> bool:
        """Run the body; False when it failed and must be undone."""
        if self.waits_since is not None:
            WAIT_SECONDS.observe(time.monotonic() - self.waits_since)
        try:
            self.result = run_through(self.body(connection))
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


def run_through(body: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that waits for nothing."""
    try:
        body.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    body.close()
    raise AssertionError("a transaction waited for something other than its connection")


def commit_group(raw: sqlite3.Connection, connection: SQLiteConnection, group: Sequence[Job[Any]]) -> None:
    """One transaction for all of them; each learns what came of its own body."""
    try:
        begin(raw)
    except BaseException as error:  # noqa: BLE001 - a thread that ended here would leave all later callers waiting
        fail_all(raw, group, error)
        return
    if perform_all(raw, connection, group):
        commit(raw, group)


def begin(raw: sqlite3.Connection) -> None:
    roll_back(raw)
    raw.execute("BEGIN IMMEDIATE")


def perform_all(raw: sqlite3.Connection, connection: SQLiteConnection, group: Sequence[Job[Any]]) -> bool:
    """All but the commit. False: there is nothing to commit, and every job of the group knows why."""
    try:
        if len(group) == 1:
            if group[0].perform(connection):
                return True
            raw.execute("ROLLBACK")
            return False
        for job in group:
            raw.execute("SAVEPOINT job")
            if not job.perform(connection):
                undo_one(raw, job)
            raw.execute("RELEASE job")
    except BaseException as error:  # noqa: BLE001 - as above
        fail_all(raw, group, error)
        return False
    return True


def commit(raw: sqlite3.Connection, group: Sequence[Job[Any]]) -> None:
    """Wait for the disk."""
    try:
        raw.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001 - as above
        fail_all(raw, group, error)


def fail_all(raw: sqlite3.Connection, group: Sequence[Job[Any]], error: BaseException) -> None:
    """Not even a commit was possible (the disk is full, the file is locked): no job has any effect."""
    for job in group:
        job.fail(error)
    with suppress(Exception):
        roll_back(raw)  # If this is not possible either, it comes before the next BEGIN.


def undo_one(raw: sqlite3.Connection, job: Job[Any]) -> None:
    """Take back what one of a group did. Raises its error when SQLite has undone what all of them did."""
    if not raw.in_transaction:
        assert job.error is not None
        raise job.error  # The disk is full, or the like.
    raw.execute("ROLLBACK TO job")


def roll_back(raw: sqlite3.Connection) -> None:
    """End what is still open, if anything is."""
    if raw.in_transaction:
        raw.execute("ROLLBACK")


def look(raw: sqlite3.Connection, connection: SQLiteConnection, job: Job[Any]) -> None:
    """Run a body that only reads, on one consistent snapshot. A single query is one by itself."""
    try:
        roll_back(raw)
        if not job.is_one_query:
            raw.execute("BEGIN")
        job.perform(connection)
        roll_back(raw)
    except BaseException as error:  # noqa: BLE001 - as for the writer
        job.fail(error)
