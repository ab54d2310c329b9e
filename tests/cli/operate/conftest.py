"""Servers on the PostgreSQL of this worker, in which other tests leave users."""

import asyncio

import asyncpg
import pytest


@pytest.fixture(autouse=True)
def nobody_else_runs_it(request: pytest.FixtureRequest) -> None:
    """Where somebody else is an administrator, a server makes neither `admin` nor a token."""
    names = {"place", "postgres_url"} & set(request.fixturenames)
    for url in [request.getfixturevalue(name) for name in names]:
        if isinstance(url, str):
            asyncio.run(_demote(url))


async def _demote(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("UPDATE users SET role = 'member' WHERE name_key <> 'admin'")
    finally:
        await connection.close()
