"""A soak: one hostile member and one stranger do their worst, and another user chats.

    python -m bench.soak [--seconds S] [--attacks NAME,NAME] [--sqlite | --postgres]

For each attack a fresh `chatd serve` with its default settings, on an empty database: a member stays within
the default limits, a stranger has no token (`_hostile.py`, each a process of its own). Alice, the other user,
posts a short message to an old chat every half second, and her viewer sees the first word of the answer:
first while nothing else happens, then during the attack.

Goals: her first word within 2 x of its usual time (median against median), and the server's memory at its
peak within 2 x of what it has when nothing happens. The server is alone on one core; the attackers have the
other one with Alice, and a lower priority than she.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import asyncpg
import uvloop
from msgspec import Struct

from bench._hostile import MEMBER, STRANGER, TOGETHER, big_chat
from bench._server import Process, chatd, running, verdict
from bench.load import cpu_seconds, pin
from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.domain.people.roles import UserRole
from chatd.kit.clock import SystemClock
from chatd.storage.data_dir.data_dir import open_data_dir
from chatd.storage.database import Database
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database
from tools.postgres import throwaway_postgres

GOAL = 2.0
SERVER_CORE, CLIENT_CORE = 0, 1
EVERY_SECONDS = 0.5
QUIET_SECONDS = 4.0
# Before anything counts: caches are filled, and chats are awake.
WARMING_TURNS = 5
# From the start of an attack until Alice is measured: its bodies are made first.
LEAD_SECONDS = 0.5
PATIENCE_SECONDS = 60
MESSAGE = {"content": [{"type": "text", "text": "stream 10 words at 1000000 per second"}]}
ALL = "all together"

# The URL of an empty database for each attack; None is SQLite, in the data directory.
Databases = Callable[[], AbstractAsyncContextManager[str | None]]


class Tokens(Struct, frozen=True):
    alice: str
    mallory: str


class Soaked(Struct, frozen=True):
    """Milliseconds to the first word, and bytes of memory."""

    quiet: Sequence[float]
    during: Sequence[float]
    idle_bytes: int
    peak_bytes: int
    cpu_percent: float


class Alice:
    """Talks in one chat, and looks at it."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session = session
        self._chats = f"{address}/api/v1/chats"
        self._chat = ""
        self._socket: aiohttp.ClientWebSocketResponse | None = None

    async def begin(self) -> None:
        async with self._session.post(self._chats, json=MESSAGE) as answer:
            answer.raise_for_status()
            self._chat = f"{self._chats}/{(await answer.json())['id']}"
        address = f"{self._chat.replace('http', 'ws', 1)}/stream"
        self._socket = await self._session.ws_connect(address, max_msg_size=0)
        await self._first_word(time.perf_counter())
        for _ in range(WARMING_TURNS):
            await self.turn()

    async def turn(self) -> float:
        """Milliseconds to the first word."""
        began = time.perf_counter()
        async with self._session.post(f"{self._chat}/messages", json=MESSAGE) as answer:
            assert answer.status == 200, await answer.text()
            await answer.read()
        return await self._first_word(began)

    async def talk(self, seconds: float) -> list[float]:
        loop = asyncio.get_running_loop()
        ends, due, firsts = loop.time() + seconds, loop.time(), []
        while loop.time() < ends:
            firsts.append(await self.turn())
            due = max(due + EVERY_SECONDS, loop.time())
            await asyncio.sleep(due - loop.time())
        return firsts

    async def _first_word(self, began: float) -> float:
        """When it came; returns at the end of the turn. What is said may come whole, if it was quick."""
        assert self._socket is not None
        first = None
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for message in self._socket:
                if first is None and ('"message_part"' in message.data or '"assistant"' in message.data):
                    first = (time.perf_counter() - began) * 1e3
                if first is not None and '"status":"waiting"' in message.data:
                    return first
        raise AssertionError("the stream ended before the turn did")


def peak_bytes(pid: int) -> int:
    """The most that a process ever had in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


async def add_users(db: Database) -> Tokens:
    await migrate(db)
    users = [await create_user(db, name, UserRole.MEMBER) for name in ("alice", "mallory")]
    alice, mallory = [await create_token(db, user.id, "soak") for user in users]
    return Tokens(alice, mallory)


def hostile(attack: str, address: str, tokens: Tokens, chat: str, seconds: float) -> list[Process]:
    """The processes of an attack."""
    names = list(TOGETHER) if attack == ALL else [attack]

    def one(name: str) -> Process:
        is_member = name in MEMBER or name == "member"
        token = tokens.mallory if is_member else ""
        return Process("-m", "bench._hostile", name, address, token, chat, str(seconds))

    return [one(name) for name in names]


async def soak(attack: str, url: str | None, seconds: float) -> Soaked:
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        open_data_dir(folder)
        async with open_database(url or f"sqlite:///{folder / 'chatd.db'}", SystemClock()) as db:
            tokens = await add_users(db)
        settings = {"log_level": "warning", **({"database_url": url} if url else {})}
        server = await opened.enter_async_context(running(chatd(folder, **settings)))
        pin(server.pid, SERVER_CORE)
        chat = ""
        if attack in ("viewers", ALL):
            chat = await big_chat_of(server, tokens.mallory)
        headers = {"authorization": f"Bearer {tokens.alice}"}
        session = await opened.enter_async_context(aiohttp.ClientSession(headers=headers))
        alice = Alice(session, server.address)
        await alice.begin()
        quiet = await alice.talk(QUIET_SECONDS)
        idle = server.rss_bytes
        for process in hostile(attack, server.address, tokens, chat, seconds + PATIENCE_SECONDS):
            await opened.enter_async_context(running(process))
        await asyncio.sleep(LEAD_SECONDS)
        used, began = cpu_seconds(server.pid), time.perf_counter()
        during = await alice.talk(seconds)
        percent = (cpu_seconds(server.pid) - used) / (time.perf_counter() - began) * 100
        return Soaked(quiet, during, idle, peak_bytes(server.pid), percent)


async def big_chat_of(server: Process, token: str) -> str:
    async with aiohttp.ClientSession(headers={"authorization": f"Bearer {token}"}) as session:
        return await big_chat(session, server.address)


def show(database: str, attack: str, soaked: Soaked) -> None:
    usual, now = median(soaked.quiet), median(soaked.during)
    late = sorted(soaked.during)[int(len(soaked.during) * 0.95)]
    memory = soaked.peak_bytes / soaked.idle_bytes
    print(
        f"{database:>10}, {attack:<18} first word {usual:5.1f} ms quiet, then median {now:6.1f} ms "
        f"({now / usual:5.2f} x: {verdict(now / usual, GOAL)}), p95 {late:7.1f} ms "
        f"({late / usual:6.2f} x: {verdict(late / usual, GOAL)}), "
        f"{len(soaked.during)} turns; memory {soaked.idle_bytes / 1e6:.0f} MB, peak "
        f"{soaked.peak_bytes / 1e6:.0f} MB ({memory:.2f} x: {verdict(memory, GOAL)}); "
        f"CPU {soaked.cpu_percent:.0f} %",
        flush=True,
    )


@asynccontextmanager
async def in_data_dir() -> AsyncIterator[str | None]:
    yield None


def on_server(url: str) -> Databases:
    @asynccontextmanager
    async def empty() -> AsyncIterator[str | None]:
        name = f"soak_{time.monotonic_ns()}"
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(f'CREATE DATABASE "{name}"')
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
            await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        finally:
            await connection.close()

    return empty


async def run(name: str, attacks: Sequence[str], databases: Databases, seconds: float) -> None:
    # Not before: PostgreSQL has both cores.
    pin(os.getpid(), CLIENT_CORE)
    for attack in attacks:
        async with databases() as url:
            show(name, attack, await soak(attack, url, seconds))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20, help="of each attack")
    parser.add_argument("--attacks", default=",".join([*MEMBER, *STRANGER, ALL]))
    parser.add_argument("--sqlite", action="store_true", help="only SQLite")
    parser.add_argument("--postgres", action="store_true", help="only PostgreSQL")
    chosen = parser.parse_args()
    attacks = chosen.attacks.split(",")
    if not chosen.postgres:
        uvloop.run(run("SQLite", attacks, in_data_dir, chosen.seconds))
    if not chosen.sqlite:
        os.sched_setaffinity(0, {SERVER_CORE, CLIENT_CORE})
        with throwaway_postgres(durable=True) as url:
            uvloop.run(run("PostgreSQL", attacks, on_server(url), chosen.seconds))


if __name__ == "__main__":
    main()
