"""Server processes for benches: ours, and a bare one for a floor."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.accounts.admin import ADMIN, ensure_admin
from chatd.accounts.users import user_named
from chatd.client.asynchronous import AsyncClient
from chatd.domain.ids import UserId
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.storage.data_dir.data_dir import open_data_dir
from chatd.storage.migrate import migrate
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store

PATIENCE_SECONDS = 60
TOKEN = "only-for-benches"  # noqa: S105 - it opens nothing that outlives a bench


class Process:
    """A program that says in its first line where it answers."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._arguments = arguments
        self.environment = {**os.environ, **(environment or {})}
        self._process: asyncio.subprocess.Process | None = None
        self.address = ""
        # When it was started, in seconds since 1970, and how long it took to be ready.
        self.started_at = 0.0
        self.ready_seconds = 0.0

    async def start(self) -> None:
        self.started_at = time.time()
        began = time.perf_counter()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=self.environment,
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = (await self._process.stdout.readline()).decode()
        self.ready_seconds = time.perf_counter() - began
        self.address = line.split()[-1] if " ready at " in line else ""
        assert self.address, f"the server said {line!r}"

    async def kill(self) -> float:
        return await self._end(signal.SIGKILL)

    async def stop(self) -> float:
        """As an operator stops it. How long it took, in seconds."""
        return await self._end(signal.SIGTERM)

    async def _end(self, how: signal.Signals) -> float:
        if self._process is None:
            return 0.0
        began = time.perf_counter()
        self._process.send_signal(how)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._process.wait()
        took = time.perf_counter() - began
        assert self._process.stdout is not None
        await self._process.stdout.read()
        self._process = None
        return took

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def rss_bytes(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    @property
    def cpu_seconds(self) -> float:
        """Of the processor, so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        # The twelfth and thirteenth field behind the name: its own time, and that of the system for it.
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def client(self) -> AsyncClient:
        return AsyncClient(self.address, TOKEN)


def chatd(data_dir: Path, **settings: str) -> Process:
    """Our server on this directory, as a user would run it."""
    environment = {f"CHATD_{name.upper()}": value for name, value in settings.items()}
    arguments = ("-m", "chatd", "serve", "--port", "0", "--data-dir", str(data_dir))
    # A bench asks for more than a person does.
    usual = {"CHATD_ADMIN_TOKEN": TOKEN, "CHATD_REQUESTS_PER_MINUTE": "0"}
    return Process(*arguments, environment={**usual, **environment})


def bare() -> Process:
    """The same web server without anything of ours."""
    return Process("-m", "bench._bare")


@asynccontextmanager
async def running(process: Process) -> AsyncIterator[Process]:
    await process.start()
    try:
        yield process
    finally:
        await process.kill()


async def fill(data_dir: Path, body: Callable[[Store, UserId], Awaitable[None]]) -> None:
    """Put something into the database of a server that is not running, in the administrator's name."""
    clock = SystemClock()
    open_data_dir(data_dir)
    async with open_sqlite(data_dir / "chatd.db", now_micros=clock.now_micros) as db:
        await migrate(db)
        await ensure_admin(db, data_dir, TOKEN)
        admin = await user_named(db, ADMIN)
        assert admin is not None
        await body(Store(db, MemoryBus()), admin.id)


async def until_waiting(client: AsyncClient, chat_id: str) -> None:
    """Asks seldom enough for the limit of requests."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await client.chat(chat_id)).status != "waiting":  # noqa: ASYNC110 - it is in another process
            await asyncio.sleep(0.25)


def verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else "missed"
