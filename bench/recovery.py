"""After a crash and after a clean stop: how long until chats go on.

    python -m bench.recovery [--chats N] [--sqlite | --postgres]

Every chat is in the middle of a tool call that would take an hour, and that must not run twice. When the
process is gone, the call is answered with "nobody knows", and the model says its last words without a
pause; so whatever time passes is ours. Moments are those of the messages, as the server dated them.

On SQLite the same server is started again, after a kill and after a clean stop. On PostgreSQL a second
server stands by while the first is stopped, and while it is killed.

Goals: ready within 1 s and going on at once (within 0.1 s of being ready) on SQLite; on PostgreSQL within
1 s of a clean stop and 15 s of a kill.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import uvloop
from msgspec import Struct

from bench._server import PATIENCE_SECONDS, Process, chatd, running, until_waiting, verdict
from chatd.client.asynchronous import AsyncClient
from tools.postgres import throwaway_postgres

SCRIPT = """\
call launch {"text": "once", "seconds": 3600}
next
stream 1 words at 100000 per second
"""
READY_GOAL, AT_ONCE_GOAL, STOPPED_GOAL, KILLED_GOAL = 1.0, 0.1, 1.0, 15.0


class Recovered(Struct, frozen=True):
    """When the first chat went on and when the last one was done, in seconds since 1970."""

    first: float
    last: float


async def begin(client: AsyncClient, rehearsals: Path, chats: int) -> list[str]:
    """Chats that are all in the middle of their call."""
    before = _count(rehearsals)
    ids = [(await client.create_chat(SCRIPT)).id for _ in range(chats)]
    async with asyncio.timeout(PATIENCE_SECONDS):
        # Another process writes that file, so there is nothing to wait for but its contents.
        while _count(rehearsals) < before + chats:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return ids


def _count(rehearsals: Path) -> int:
    return len(rehearsals.read_text().splitlines()) if rehearsals.exists() else 0


async def recovered(client: AsyncClient, ids: Sequence[str]) -> Recovered:
    """Wait until all are done, and read when that was."""
    for chat_id in ids:
        await until_waiting(client, chat_id)
    first, last = [], []
    for chat_id in ids:
        _, _, result, reply = [
            datetime.fromisoformat(message.created_at).timestamp()
            async for message in client.history(chat_id)
        ]
        first.append(result)
        last.append(reply)
    return Recovered(min(first), max(last))


async def restarted(server: Process, rehearsals: Path, chats: int, *, kill: bool) -> None:
    """The same server once more."""
    async with server.client() as client:
        ids = await begin(client, rehearsals, chats)
    took = await (server.kill() if kill else server.stop())
    await server.start()
    async with server.client() as client:
        found = await recovered(client, ids)
    started, ready = server.started_at, server.ready_seconds
    at_once = max(0.0, found.first - started - ready)
    print(f"  after {_end(took, kill=kill)}, from the start of the process")
    line("ready", ready, READY_GOAL)
    line("the first chat goes on", found.first - started)
    line("  that is, after the server is ready", at_once, AT_ONCE_GOAL)
    line("all chats are done", found.last - started)


def _end(took: float, *, kill: bool) -> str:
    return "a kill" if kill else f"a clean stop that took {took:.2f} s"


def line(what: str, seconds: float, goal: float | None = None) -> None:
    judged = f"  (goal {goal} s: {verdict(seconds, goal)})" if goal is not None else ""
    print(f"    {what:38} {seconds:6.2f} s{judged}")


async def sqlite_bench(chats: int) -> None:
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
        rehearsals = Path(folder) / "rehearsals.log"
        print(f"\nSQLite, {chats} chats, the same server again")
        async with running(chatd(Path(folder) / "data", rehearsal_log=str(rehearsals))) as server:
            await restarted(server, rehearsals, chats, kill=True)
            await restarted(server, rehearsals, chats, kill=False)


async def taken_over(url: str, folder: Path, chats: int, *, kill: bool) -> None:
    """A second server goes on with the chats of a first one."""
    rehearsals = folder / "rehearsals.log"
    common = {"database_url": url, "rehearsal_log": str(rehearsals)}
    async with running(chatd(folder / "first", **common)) as first:
        async with first.client() as client:
            ids = await begin(client, rehearsals, chats)
        async with running(chatd(folder / "second", **common)) as second:
            took = await (first.kill() if kill else first.stop())
            ended = time.time()
            async with second.client() as client:
                found = await recovered(client, ids)
    seconds, goal = max(0.0, found.first - ended), KILLED_GOAL if kill else STOPPED_GOAL
    print(f"  after {_end(took, kill=kill)}, from the end of the process")
    line("the first chat goes on", seconds, goal)
    line("all chats are done", max(0.0, found.last - ended))


async def postgres_bench(chats: int) -> None:
    with throwaway_postgres(durable=True) as url:
        print(f"\nPostgreSQL, {chats} chats, a second server stands by")
        for kill in (False, True):
            with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
                await taken_over(url, Path(folder), chats, kill=kill)


async def run(options: argparse.Namespace) -> None:
    if not options.postgres:
        await sqlite_bench(options.chats)
    if not options.sqlite:
        await postgres_bench(options.chats)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chats", type=int, default=50, help="how many are under way, at most 60")
    parser.add_argument("--sqlite", action="store_true", help="only SQLite")
    parser.add_argument("--postgres", action="store_true", help="only PostgreSQL")
    options = parser.parse_args()
    if not 1 <= options.chats <= 60:
        parser.error("--chats must be from 1 to 60: a server works in 64 chats at once")
    uvloop.run(run(options))


if __name__ == "__main__":
    main()
