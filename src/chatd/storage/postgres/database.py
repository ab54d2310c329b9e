"""PostgreSQL: a pool of connections, the row lock on the chat, the database's clock.

A few connections are kept for what is urgent: ten callers who wait for one locked chat hold all the others.

A server that hangs, because it is paused or cut off, keeps no lock for long. PostgreSQL ends transactions
that are idle, and statements that take long. In between it waits without a bound: asyncpg prepares one
first, and sends its arguments when that was answered. So a transaction that has waited for a row in vain
ends those that stand still there.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qs, urlsplit

import asyncpg
import structlog

from chatd.errors import Locked, Misconfigured, Unavailable, Unusable
from chatd.storage.database import Body, ConnectionUse, Database, Pace, Row
from chatd.storage.health.outage import Outage
from chatd.storage.postgres.arguments import count_of_arguments, shifted
from chatd.storage.postgres.connections import Connections
from chatd.storage.postgres.unlocked import NeedsLock, Unlocked, unlocked_queries
from chatd.storage.queries import SqlEngine, queries_for, sent_together

if TYPE_CHECKING:
    from chatd.storage.postgres.connections import RawConnection

log = structlog.get_logger()

T = TypeVar("T")

CONNECTIONS_MAX = 10
URGENT_CONNECTIONS_MAX = 2
CONNECT_SECONDS = 10.0
# The server gives up before we do: then we are told why.
STATEMENT_SECONDS = 30
COMMAND_SECONDS = 35.0
PATIENT_SECONDS = 3600
CLOSE_SECONDS = 3.0
# For how long a transaction may stand still, because its client does.
IDLE_SECONDS = 10

# All of it is said, because a database can have other defaults: ours waits for the lock and then looks.
# As plain statements: what asyncpg has for it is 1 % of what a turn costs.
BEGIN_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED"
BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

SERVER_SETTINGS = {
    "application_name": "chatd",
    # Our statements are short and often run: planning them with a compiler only costs.
    "jit": "off",
    # What was answered is on the disk, whatever the database's own default is.
    "synchronous_commit": "on",
    # Also for a statement outside of a transaction: one that waited for a row looks at it again.
    "default_transaction_isolation": "read committed",
    # No transaction waits for a row for ever, and none of a client that is gone keeps one.
    "lock_timeout": "5s",
    "statement_timeout": f"{STATEMENT_SECONDS}s",
    "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}

# What passes by itself: the connection is lost, the server starts or stops, another transaction was quicker.
_PASSING = (
    OSError,  # TimeoutError too
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.LockNotAvailableError,
    asyncpg.TransactionRollbackError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    # What answers there became a standby; its successor is not known yet.
    asyncpg.ReadOnlySQLTransactionError,
    # Another replica has migrated: the statement is prepared anew next time.
    asyncpg.InvalidCachedStatementError,
    # A connection that broke in the middle of a message, or says what PostgreSQL never says.
    asyncpg.InternalClientError,
)

# Statements that follow one another in most transactions, and are sent as one: a round trip less.
SENT_TOGETHER = sent_together()
HELD_BACK = frozenset(SENT_TOGETHER.values())

UNREADABLE = (
    "The PostgreSQL address cannot be read. Write it like postgresql://user:password@host:5432/name, and "
    "what is special in an address, such as / or @ in a password, like %2F or %40."
)


@asynccontextmanager
async def open_postgres(
    url: str,
    *,
    connections_max: int = CONNECTIONS_MAX,
    outage: Outage | None = None,
    idle_seconds: float = IDLE_SECONDS,
) -> AsyncIterator[Database]:
    """The database at this address. Leaving the block closes every connection to it."""
    try:
        usual = await _connections(url, least=1, most=connections_max)
        urgent = await _connections(url, least=0, most=URGENT_CONNECTIONS_MAX)
    except ValueError:
        # Not even as a cause: it may quote a piece of the password.
        raise Misconfigured(UNREADABLE) from None
    except (*_PASSING, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise Unusable(_unreachable(url, error)) from error
    try:
        yield Postgres(usual, urgent, outage or Outage(), timedelta(seconds=idle_seconds))
    finally:
        await _close(usual, urgent)


async def _connections(url: str, *, least: int, most: int) -> Connections:
    pool = await asyncpg.create_pool(
        url,
        min_size=least,
        max_size=most,
        timeout=CONNECT_SECONDS,
        command_timeout=COMMAND_SECONDS,
        server_settings=SERVER_SETTINGS,
        reset=_keep_session,
    )
    return Connections(pool)


async def _keep_session(_: object) -> None:
    """Instead of a statement after each transaction: ours leave no setting, lock or listener behind."""


async def _close(*pools: Connections) -> None:
    """In order, or else at once: a server that hangs would be waited for without end."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            for pool in pools:
                await pool.close()
    except TimeoutError:
        for pool in pools:
            pool.terminate()


def _unreachable(url: str, error: Exception) -> str:
    place = place_of(url)
    if place is None:
        return f"Cannot reach PostgreSQL. {UNREADABLE}"
    return (
        f"Cannot reach PostgreSQL at {place}: {words_of(error)}. "
        "Check the address, that the server runs, and that this user may connect."
    )


def place_of(url: str) -> str | None:
    """Host, port and name: all of an address that may be shown. None when we cannot tell them apart."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment:
        return None  # A password that was not escaped: what looks like the rest is a piece of it.
    host = host or parse_qs(parts.query).get("host", ["localhost"])[0]
    return f"{host}:{port or 5432}{parts.path}"


def words_of(error: Exception) -> str:
    """What the server said, without its DETAIL: that quotes rows."""
    if isinstance(error, asyncpg.PostgresError):
        return f"{error.args[0]} ({error.sqlstate})"
    return str(error) or type(error).__name__


class PostgresConnection:
    """Named queries on one connection. A Record is a sequence of columns in all but its declared type."""

    def __init__(self, raw: "RawConnection", queries: Mapping[str, str], seconds: float | None) -> None:
        self._raw = raw
        self._queries = queries
        self._seconds = seconds
        # Statements that are sent with the next one, or before it.
        self._held_back: list[tuple[str, Sequence[object]]] = []

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        if self._held_back:
            await self.send_held_back()
        rows: Sequence[Row] = await self._fetch(query, args)  # type: ignore[assignment]
        return rows

    async def one(self, query: str, *args: object) -> Row | None:
        if self._held_back:
            await self.send_held_back()
        sql = self._queries[query]
        row: Row | None = await self._raw.fetchrow(sql, *args, timeout=self._seconds)  # type: ignore[assignment]
        return row

    async def run(self, query: str, *args: object) -> None:
        if self._held_back:
            if self._goes_with_held_back(query):
                self._held_back.append((query, args))
                await self.send_held_back()
                return
            await self.send_held_back()
        await self._fetch(query, args)

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        is_held_back = len(rows) == 1 and query in HELD_BACK
        if self._held_back and not (is_held_back and self._goes_with_held_back(query)):
            await self.send_held_back()
        if len(rows) > 1:
            await self._raw.executemany(self._queries[query], rows, timeout=self._seconds)
        elif is_held_back:
            self._held_back.append((query, rows[0]))
        else:
            await self._fetch(query, rows[0])

    async def send_held_back(self) -> None:
        """Before a query that may depend on it, and before the commit."""
        if self._held_back:
            held, self._held_back = self._held_back, []
            name = _together(*(query for query, _ in held))
            await self._fetch(name, [value for _, values in held for value in values])

    def _goes_with_held_back(self, query: str) -> bool:
        return SENT_TOGETHER.get(query) == self._held_back[-1][0]

    async def script(self, sql: str) -> None:
        await self._raw.execute(sql, timeout=self._seconds)

    async def _fetch(self, query: str, args: Sequence[object]) -> "Sequence[asyncpg.Record]":
        return await self._raw.fetch(self._queries[query], *args, timeout=self._seconds)


class OneQuery(PostgresConnection):
    """A connection for a single query, which is a snapshot by itself."""

    asked = False

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        self._ask(query)
        return await super().all(query, *args)

    async def one(self, query: str, *args: object) -> Row | None:
        self._ask(query)
        return await super().one(query, *args)

    def _ask(self, query: str) -> None:
        assert not self.asked, f"{query} is the second query of a read that promised one"
        self.asked = True


class Postgres:
    engine = SqlEngine.POSTGRES

    def __init__(self, usual: Connections, urgent: Connections, outage: Outage, idle: timedelta) -> None:
        self._usual = usual
        self._urgent = urgent
        self._outage = outage
        self._idle = idle
        queries = queries_for(self.engine)
        self._queries = {**_with_chains(queries), **unlocked_queries(queries)}

    def connection_use(self) -> ConnectionUse:
        usual, urgent = self._usual, self._urgent
        return ConnectionUse(
            in_use=usual.in_use + urgent.in_use,
            ready=usual.ready + urgent.ready,
            waiting=usual.waiting + urgent.waiting,
        )

    def abandon(self) -> None:
        """Cut every connection. Transactions under way fail at once, and no other one begins."""
        for connections in (self._usual, self._urgent):
            connections.terminate()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._transaction(body, pace, begin=BEGIN_WRITING)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._transaction(body, pace, begin=BEGIN_READING)

    async def _transaction(self, body: Body[T], pace: Pace, *, begin: str) -> T:
        """Plain statements instead of context managers: this is the hottest path there is."""
        connections = self._urgent if pace is Pace.URGENT else self._usual
        try:
            raw = await connections.acquire()
            try:
                if pace in (Pace.ONE_QUERY, Pace.ONE_LONG_QUERY):
                    result = await body(OneQuery(raw, self._queries, None))
                elif pace is Pace.ONE_MESSAGE:
                    result = await self._add_message(raw, body)
                else:
                    result = await self._run(raw, body, pace, begin)
            except BaseException:
                await _roll_back(raw, connections)
                raise
            connections.give_back(raw)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, *_PASSING) as error:
            if (explained := _explained(error)) is error:
                raise
            self._outage.note_failure(type(error).__name__, words_of(error), level=logging.WARNING)
            if isinstance(explained, Locked):
                await self._end_hanging_sessions()
            raise explained from error
        if self._outage.goes_on:
            self._outage.note_success()
        return result

    async def _end_hanging_sessions(self) -> None:
        """If one of them has the row, the next try gets it. When this fails, the next try is for it, too."""
        try:
            raw = await self._urgent.acquire()
            try:
                ended = await raw.fetch(self._queries["end_hanging_sessions"], self._idle)
            except BaseException:
                await self._urgent.give_up(raw)
                raise
            self._urgent.give_back(raw)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, *_PASSING) as error:
            log.info("database.sessions_not_ended", error=words_of(error))
            return
        if ended:
            log.warning("database.hanging_sessions_ended", count=len(ended))

    async def _add_message(self, raw: "RawConnection", body: Body[T]) -> T:
        try:
            return await body(Unlocked(raw, self._queries))
        except NeedsLock:
            return await self._run(raw, body, Pace.QUICK, BEGIN_WRITING)

    async def _run(self, raw: "RawConnection", body: Body[T], pace: Pace, begin: str) -> T:
        await raw.execute(begin)
        patient = pace is Pace.PATIENT
        connection = PostgresConnection(raw, self._queries, PATIENT_SECONDS if patient else None)
        if patient:
            await connection.one("be_patient", f"{PATIENT_SECONDS}s")
        result = await body(connection)
        await connection.send_held_back()
        await raw.execute("COMMIT")
        return result


async def _roll_back(raw: "RawConnection", connections: Connections) -> None:
    """After an error. What went wrong here is of no interest: the pool closes what it cannot mend."""
    try:
        if raw.is_in_transaction():
            await raw.execute("ROLLBACK")
    except (asyncpg.PostgresError, asyncpg.InterfaceError, *_PASSING):
        pass
    finally:
        await connections.give_up(raw)


def _together(*names: str) -> str:
    return ", ".join(names)


def _with_chains(queries: Mapping[str, str]) -> Mapping[str, str]:
    """Those that may be sent in one go, too: each with the one before it, and the one before that."""
    chains: dict[str, str] = {}
    for last in SENT_TOGETHER:
        names = [last]
        while (first := SENT_TOGETHER.get(names[0])) is not None:
            names.insert(0, first)
            chains[_together(*names)] = _in_one([queries[name] for name in names])
    return {**queries, **chains}


def _in_one(statements: Sequence[str]) -> str:
    """All of them as one. The arguments of each come after those of the ones before."""
    *firsts, last = statements
    parts, count = [], 0
    for number, statement in enumerate(firsts):
        parts.append(f"part_{number} AS ({shifted(statement, count)})")
        count += count_of_arguments(statement)
    return f"WITH {', '.join(parts)}\n{shifted(last, count)}"


def _explained(error: Exception) -> Exception:
    """What passes by itself is Unavailable. Other errors are told without the rows in them."""
    if isinstance(error, asyncpg.PostgresError):
        error.detail = None  # It quotes rows, and what is raised here ends up in a log.
        error.add_note(f"SQLSTATE {error.sqlstate}")
    if isinstance(error, asyncpg.LockNotAvailableError):
        return Locked(_unusable(error))
    if isinstance(error, _PASSING):
        return Unavailable(_unusable(error))
    # asyncpg has no class of its own for what happens to a connection that has gone.
    gone = any(word in str(error) for word in ("closed", "closing"))
    return Unavailable(_unusable(error)) if isinstance(error, asyncpg.InterfaceError) and gone else error


def _unusable(error: Exception) -> str:
    return f"The database cannot be used at the moment: {words_of(error)}."
