"""A network that can lose the answer to a request, which has had its effect, or be slow with it."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from msgspec.structs import replace

from tests.support.served import Served

CHUNK_BYTES = 65536


class Lossy:
    """Passes bytes on between callers and one server."""

    def __init__(self, server: Served) -> None:
        self._port = urlsplit(server.address).port
        # How many answers to a POST are still to be lost.
        self.losing = 0
        # The answer to the next POST waits for this.
        self.holds: asyncio.Event | None = None

    async def carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._port)
        lost, held = asyncio.Event(), asyncio.Event()
        held.set()
        try:
            async with asyncio.TaskGroup() as group:
                back = group.create_task(self._answers(there_reader, writer, lost, lambda: held))
                while data := await reader.read(CHUNK_BYTES):
                    if self.losing and data.startswith(b"POST"):
                        self.losing -= 1
                        lost.set()
                    if self.holds is not None and data.startswith(b"POST"):
                        held, self.holds = self.holds, None
                    there_writer.write(data)
                back.cancel()
        finally:
            there_writer.close()
            writer.close()

    async def _answers(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        lost: asyncio.Event,
        held: Callable[[], asyncio.Event],
    ) -> None:
        while data := await reader.read(CHUNK_BYTES):
            await held().wait()
            if lost.is_set():
                break
            writer.write(data)
        writer.close()


@asynccontextmanager
async def lossy(server: Served) -> AsyncIterator[tuple[Lossy, Served]]:
    """The network, and the server as it is reached through it."""
    network = Lossy(server)
    async with await asyncio.start_server(network.carry, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        yield network, replace(server, address=f"http://127.0.0.1:{port}")
