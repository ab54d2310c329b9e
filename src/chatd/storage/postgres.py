"""PostgreSQL: a pool of connections, the row lock on the chat, the database's clock."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import asyncpg

from chatd.errors import Unusable
from chatd.storage.database import Body, Database, Row
from chatd.storage.queries import Dialect, queries_for

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    RawConnection = PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]

T = TypeVar("T")

CONNECTIONS_MAX = 10
CONNECT_SECONDS = 10.0


@asynccontextmanager
async def open_postgres(url: str, *, connections_max: int = CONNECTIONS_MAX) -> AsyncIterator[Database]:
    """The database at this address. Leaving the block closes every connection to it."""
    try:
        pool = await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=connections_max,
            timeout=CONNECT_SECONDS,
            # Our statements are short and often run: planning them with a compiler only costs.
            server_settings={"application_name": "chatd", "jit": "off"},
        )
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise Unusable(
            f"Cannot reach PostgreSQL at {without_password(url)}: {error}. "
            "Check the address, that the server runs, and that this user may connect."
        ) from error
    async with pool:
        yield Postgres(pool)


def without_password(url: str) -> str:
    """The address as it may be shown."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return url.replace(f":{parts.password}@", ":***@", 1)


class PostgresConnection:
    """Named queries on one connection. A Record is a sequence of columns in all but its declared type."""

    def __init__(self, raw: "RawConnection", queries: Mapping[str, str]) -> None:
        self._raw = raw
        self._queries = queries

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        rows: Sequence[Row] = await self._raw.fetch(self._queries[query], *args)  # type: ignore[assignment]
        return rows

    async def one(self, query: str, *args: object) -> Row | None:
        row: Row | None = await self._raw.fetchrow(self._queries[query], *args)  # type: ignore[assignment]
        return row

    async def run(self, query: str, *args: object) -> None:
        await self._raw.fetch(self._queries[query], *args)

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        if len(rows) == 1:
            await self._raw.fetch(self._queries[query], *rows[0])
        else:
            await self._raw.executemany(self._queries[query], rows)

    async def script(self, sql: str) -> None:
        await self._raw.execute(sql)


class Postgres:
    dialect = Dialect.POSTGRES

    def __init__(self, pool: "Pool") -> None:
        self._pool = pool
        self._queries = queries_for(self.dialect)

    async def write(self, body: Body[T]) -> T:
        async with self._pool.acquire() as raw, raw.transaction():
            return await body(PostgresConnection(raw, self._queries))

    async def read(self, body: Body[T]) -> T:
        async with (
            self._pool.acquire() as raw,
            raw.transaction(isolation="repeatable_read", readonly=True),
        ):
            return await body(PostgresConnection(raw, self._queries))
