"""Servers of one fleet, each a process of its own, on a PostgreSQL database of their own."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from chatd.kit.ids import new_id
from tests.fleet.fleet import Fleet
from tests.journeys.server import NOTHING


class Fleets(Protocol):
    """`fleet_of(2)` is two servers that know one another; `env` is for all of them."""

    def __call__(
        self, count: int, *, env: Mapping[str, str] = ..., database_url: str = ...
    ) -> AbstractAsyncContextManager[Fleet]: ...


@pytest.fixture
def fleet_database(postgres_server: str) -> Iterator[str]:
    name = f"fleet_{new_id().replace('-', '_')}"

    async def run(statement: str) -> None:
        connection = await asyncpg.connect(postgres_server)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run(f'CREATE DATABASE "{name}"'))
    yield urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    asyncio.run(run(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture
def fleet_of(tmp_path: Path, fleet_database: str) -> Fleets:
    return partial(_started, tmp_path, database_url=fleet_database)


@asynccontextmanager
async def _started(
    folder: Path, count: int, *, database_url: str, env: Mapping[str, str] = NOTHING
) -> AsyncIterator[Fleet]:
    fleet = Fleet(folder, database_url, env)
    try:
        for _ in range(count):
            await fleet.add()
        yield fleet
    finally:
        await fleet.kill()
