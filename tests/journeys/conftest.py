"""Databases of their own for servers of stories."""

import asyncio
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from chatd.kit.ids import new_id


@pytest.fixture(params=["sqlite", "postgres"])
def database_flags(request: pytest.FixtureRequest) -> Iterator[Sequence[str]]:
    """For a server on each database. It is empty, and goes by its own clock."""
    if request.param == "sqlite":
        yield ()
        return
    server = request.getfixturevalue("postgres_server")
    name = f"story_{new_id().replace('-', '_')}"

    async def run(statement: str) -> None:
        connection = await asyncpg.connect(server)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run(f'CREATE DATABASE "{name}"'))
    yield ("--database-url", urlunsplit(urlsplit(server)._replace(path=f"/{name}")))
    asyncio.run(run(f'DROP DATABASE "{name}" WITH (FORCE)'))
