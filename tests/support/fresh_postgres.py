"""PostgreSQL databases of a test's own, with nothing in them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from chatd.kit.ids import new_id


@asynccontextmanager
async def fresh_database(server: str) -> AsyncIterator[str]:
    """The address of a new database. It is gone when the block ends."""
    name = f"fresh_{new_id().replace('-', '_')}".lower()
    await _command(server, f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        await _command(server, f'DROP DATABASE "{name}" WITH (FORCE)')


async def _command(server: str, sql: str) -> None:
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(sql)
    finally:
        await connection.close()
