"""Several servers on one PostgreSQL: started, killed, stopped, and cut off from one another."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import asyncpg

from chatd.client.asynchronous import AsyncClient
from chatd.client.follow import ATTEMPTS_MAX
from tests.journeys.server import NOTHING, PATIENCE_SECONDS, Server

# What the connections of servers that listen for hints are called.
LISTENER = "chatd hints"
TOKEN = "one-token-for-the-whole-fleet"
SECRET_KEY = "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE="


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again. What is asked for happens in other processes, so there is no event to wait for."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await true():
            pass


class Fleet:
    def __init__(self, folder: Path, database_url: str, env: Mapping[str, str] = NOTHING) -> None:
        self._folder = folder
        self._database_url = database_url
        self._env = env
        self.servers: list[Server] = []

    async def add(self, *flags: str, command: str = "serve", env: Mapping[str, str] = NOTHING) -> Server:
        """One more server, with an environment of its own. It is ready when this returns, and known."""
        folder = self._folder / f"server{len(self.servers)}"
        folder.mkdir()
        server = Server(
            folder,
            ("--database-url", self._database_url, *flags),
            {
                "CHATD_ADMIN_TOKEN": TOKEN,
                "CHATD_SECRET_KEY": SECRET_KEY,
                # Tests ask again and again.
                "CHATD_REQUESTS_PER_MINUTE": "0",
                "CHATD_UPLOADS_PER_MINUTE": "0",
                **self._env,
                **env,
            },
            command,
        )
        self.servers.append(server)
        await server.start()
        return server

    def clients(self) -> Sequence[AsyncClient]:
        """One for each server."""
        return [self.client(server) for server in self.servers]

    def client(self, server: Server, *, attempts_max: int = ATTEMPTS_MAX) -> AsyncClient:
        return AsyncClient(server.address, TOKEN, attempts_max=attempts_max)

    async def kill(self) -> None:
        for server in self.servers:
            await server.kill()

    async def cut_listeners(self) -> None:
        """End the connection with which each server listens for hints, once all of them have one."""
        listeners = "FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()"

        async def all_listen() -> bool:
            return len(await self.query(f"SELECT pid {listeners}", LISTENER)) == len(self.servers)

        await until(all_listen)
        await self.query(f"SELECT pg_terminate_backend(pid) {listeners}", LISTENER)

    async def query(self, sql: str, *args: object) -> list[asyncpg.Record]:
        connection = await asyncpg.connect(self._database_url)
        try:
            return await connection.fetch(sql, *args)
        finally:
            await connection.close()
