"""What stands in front of a fleet: each connection goes to one of the servers that are up, in turn."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from tests.journeys.server import Server

HOST = "127.0.0.1"
CHUNK_BYTES = 64 * 1024


class Balancer:
    def __init__(self, servers: Sequence[Server]) -> None:
        self._servers = servers
        self._next = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.address = ""

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            back, forth = await self._connect()
            async with asyncio.TaskGroup() as group:
                group.create_task(_carry(reader, forth))
                group.create_task(_carry(back, writer))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        up = [server for server in self._servers if server.up.is_set()]
        if not up:
            raise ConnectionError("no server is up")
        self._next += 1
        place = urlsplit(up[self._next % len(up)].address)
        return await asyncio.open_connection(place.hostname, place.port)

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(CHUNK_BYTES):
            target.write(data)
            await target.drain()
    finally:
        target.close()


@asynccontextmanager
async def balanced(servers: Sequence[Server]) -> AsyncIterator[Balancer]:
    balancer = Balancer(servers)
    listener = await asyncio.start_server(balancer.carry, HOST, 0)
    balancer.address = f"http://{HOST}:{listener.sockets[0].getsockname()[1]}"
    try:
        yield balancer
    finally:
        listener.close()
        await balancer.end()
