"""A PostgreSQL behind a wire that tests can cut: it goes on, says nothing any more, or says nonsense."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from enum import Enum, auto
from urllib.parse import parse_qs, urlsplit, urlunsplit

HOST = "127.0.0.1"
PORT = 5432
# The end of an authentication that never began.
NONSENSE = b"R\x00\x00\x00\x0c\x00\x00\x00\x0c\xff\xff\xff\xff"
CHUNK_BYTES = 64 * 1024
# A message has its kind and then its length, which counts itself.
HEAD_BYTES = 5
NOTIFICATION = b"A"


class Mood(Enum):
    WELL = auto()
    # Connections are taken and nothing is ever answered, as by a machine that hangs.
    SILENT = auto()
    # What is asked arrives, and no answer comes back: as when the one who asked stands still.
    UNANSWERED = auto()
    # What comes back is not what PostgreSQL has sent.
    GARBLED = auto()
    # Connections are closed as soon as they are made.
    GONE = auto()
    # Notifications do not come back, as with a pooler that pools by transaction.
    DEAF = auto()


class Proxy:
    def __init__(self, behind: str) -> None:
        parts = urlsplit(behind)
        self._host = parts.hostname or parse_qs(parts.query)["host"][0]
        self._port = parts.port or PORT
        self._address = parts._replace(query="sslmode=disable")
        self._tasks: set[asyncio.Task[None]] = set()
        self.mood = Mood.WELL
        self.url = ""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._connected, HOST, 0)
        port = server.sockets[0].getsockname()[1]
        user = f"{self._address.username}@" if self._address.username else ""
        self.url = urlunsplit(self._address._replace(netloc=f"{user}{HOST}:{port}"))
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """From now on nothing gets through, until the mood is another one."""
        self.mood = Mood.GONE
        for task in self._tasks:
            task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mood is Mood.GONE:
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            back, forth = await self._behind()
            with closing(forth):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._carry(reader, forth, is_answer=False))
                    group.create_task(self._carry(back, writer, is_answer=True))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _behind(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._host.startswith("/"):
            return await asyncio.open_unix_connection(f"{self._host}/.s.PGSQL.{self._port}")
        return await asyncio.open_connection(self._host, self._port)

    async def _carry(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, is_answer: bool
    ) -> None:
        rest = b""
        while data := await source.read(CHUNK_BYTES):
            match self.mood:
                case Mood.DEAF if is_answer:
                    data, rest = _without_notifications(rest + data)
                case Mood.SILENT:
                    continue
                case Mood.UNANSWERED if is_answer:
                    continue
                case Mood.GARBLED if is_answer:
                    data = NONSENSE
                case _:
                    pass
            target.write(data)
            await target.drain()
        target.close()


def _without_notifications(data: bytes) -> tuple[bytes, bytes]:
    """The whole messages among these bytes, apart from notifications; and the beginning of the next one."""
    kept = b""
    while len(data) >= HEAD_BYTES and len(data) > (length := int.from_bytes(data[1:HEAD_BYTES], "big")):
        message, data = data[: length + 1], data[length + 1 :]
        if not message.startswith(NOTIFICATION):
            kept += message
    return kept, data


@asynccontextmanager
async def proxied(behind: str) -> AsyncIterator[Proxy]:
    proxy = Proxy(behind)
    async with proxy.listening():
        yield proxy
