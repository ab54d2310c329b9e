"""Connections that are kept ready, and what becomes of those that the server has closed meanwhile."""

import asyncio

import asyncpg

from chatd.storage.postgres.connections import Connections
from tests.storage.postgres.waiting import connected

KEPT = 3


async def test_connections_that_were_closed_while_they_were_ready_are_replaced(postgres_url: str) -> None:
    async with asyncpg.create_pool(postgres_url, min_size=0, max_size=KEPT) as pool:
        connections = Connections(pool)
        kept = [await connections.acquire() for _ in range(KEPT)]
        pids = [raw.get_server_pid() for raw in kept]
        for raw in kept:
            connections.give_back(raw)
        async with connected(postgres_url) as other:
            await other.execute("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", pids)
        while pool.get_size():  # noqa: ASYNC110 - the pool has no event for it
            await asyncio.sleep(0)

        fresh = [await connections.acquire() for _ in range(KEPT)]
        assert [await raw.fetchval("SELECT 1") for raw in fresh] == [1] * KEPT
        for raw in fresh:
            connections.give_back(raw)
        await connections.close()


async def test_a_connection_that_is_lost_while_it_is_given_to_the_pool_breaks_nothing(
    postgres_url: str,
) -> None:
    async with asyncpg.create_pool(postgres_url, min_size=0, max_size=1) as pool:
        connections = Connections(pool)
        raw = await connections.acquire()
        connections.give_back(raw)
        closing = asyncio.create_task(connections.close())
        # After it has begun, and before the task that the pool makes for it has.
        asyncio.get_running_loop().call_soon(raw.terminate)

        await closing
