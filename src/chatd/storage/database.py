"""What both databases promise.

A transaction is a coroutine that is given a connection and asks it named queries. On
PostgreSQL it runs in the event loop; on SQLite a thread drives it to its end in one go, so it
must wait for nothing but its connection. It is all or nothing, and when `write` has returned,
its effect survives a crash of every process.
"""

from collections.abc import Callable, Coroutine, Sequence
from enum import Enum, auto
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from msgspec import Struct

from chatd.storage.queries import SqlEngine

T = TypeVar("T")

# Columns in the order of the query. What they hold is for `rows.py` to say.
Row: TypeAlias = Sequence[Any]


class Connection(Protocol):
    """Named queries, inside one transaction."""

    async def all(self, query: str, *args: object) -> Sequence[Row]: ...
    async def one(self, query: str, *args: object) -> Row | None: ...
    async def run(self, query: str, *args: object) -> None: ...
    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None: ...
    async def script(self, sql: str) -> None:
        """Several statements without arguments, as a migration has them."""
        ...


Body: TypeAlias = Callable[[Connection], Coroutine[Any, Any, T]]


class Pace(Enum):
    """How long a transaction may wait for others."""

    USUAL = auto()
    # A few rows, found by an index. SQLite runs it in the event loop: handing it to a thread would cost more.
    QUICK = auto()
    # Quick, and adds one message to one chat, most likely: PostgreSQL does it without a lock, if it can.
    ONE_MESSAGE = auto()
    # Quick, and a single query: it needs no transaction around it.
    ONE_QUERY = auto()
    # A single query as well, which may bring many rows: SQLite runs it in a thread.
    ONE_LONG_QUERY = auto()
    # Not for others who wait for the same row: signs of life would stop when the server is busiest.
    URGENT = auto()
    # As long as it takes: a migration rewrites tables.
    PATIENT = auto()

    @property
    def is_quick(self) -> bool:
        return self in (Pace.QUICK, Pace.ONE_MESSAGE, Pace.ONE_QUERY)


class ConnectionUse(Struct, frozen=True, kw_only=True):
    """How busy a database's connections are at this moment."""

    in_use: int
    # Open, and free for the next caller.
    ready: int
    # Transactions for which there is no connection yet.
    waiting: int


@runtime_checkable
class Pooled(Protocol):
    """A database that has several connections."""

    def connection_use(self) -> ConnectionUse: ...


class Database(Protocol):
    """Both raise Unavailable when the database cannot be used at the moment."""

    engine: SqlEngine

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        """Run the body in a transaction and commit it. An exception of the body undoes everything."""
        ...

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        """Run the body on one consistent snapshot. Neither waits for writers nor holds them up."""
        ...
