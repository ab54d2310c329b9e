"""What it costs viewers that another server of the fleet drives their chat.

    python -m bench.fleet [--chats N] [--deltas N] [--rate R] [--messages N]

Two servers on one PostgreSQL that writes to its disk. All messages go to the first one, which drives the
chats. Then, with the viewers at the first server and with the viewers at the second one:

- the first word: from the sending of a message to the first live part, one chat at a time, in turns with the
  same server, so that both have the same luck;
- the lag of live words: each chat is sent R deltas a second, which a provider (`_speaker.py`) stamps with the
  time, and each has one viewer. The last words of a reply come with its message, if that is saved first.
  Before it, the same words through a bare relay.

Goals: the first word at most 50 ms later than on the same server in the median, and the lag of live words at
most 100 ms for 99 of 100 words.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import aiohttp
import asyncpg
import uvloop

from bench._database import spent
from bench._server import TOKEN, Process, chatd, running, verdict
from bench.load import MODEL, SETTINGS, cpu_seconds, measure, show
from tools.postgres import throwaway_postgres

GOAL_FIRST_MS, GOAL_LAG_MS = 50.0, 100.0
PATIENCE_SECONDS = 30
WARM_UP = 3
PART, IDLE = '"type":"message_part"', '"status":"waiting"'
SCRIPT = "stream 5 words at 20 per second"
# A server that was alone logs once a second, and notices the other one after that.
ACQUAINTANCE = "stream 60 words at 20 per second"
SECRET_KEY = "b25seSBmb3IgYmVuY2hlcywgYW5kIDMyIGJ5dGVzISE="  # noqa: S105 - it opens nothing that outlives a bench


class Fleet(NamedTuple):
    speaker: Process
    servers: list[Process]
    raw: "asyncpg.Connection[asyncpg.Record]"


@asynccontextmanager
async def fleet(speaker: Process, database_url: str, count: int) -> AsyncIterator[list[Process]]:
    async with AsyncExitStack() as opened:
        servers = []
        for _ in range(count):
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            config = SETTINGS.format(address=f"{speaker.address}/v1")
            (folder / "chatd.toml").write_text(config, encoding="utf-8")
            server = chatd(
                folder,
                database_url=database_url,
                secret_key=SECRET_KEY,
                log_level="warning",
                concurrency="1000",
                requests_per_minute="0",
            )
            servers.append(await opened.enter_async_context(running(server)))
        async with servers[0].client() as client:
            # Each of these is a model call beside the turns.
            await client.change_settings(titles=False, turn_labels=False, chat_summaries=False)
        yield servers


def stream_of(server: Process, chat_id: str) -> str:
    return f"{server.address.replace('http', 'ws', 1)}/api/v1/chats/{chat_id}/stream"


async def until(socket: aiohttp.ClientWebSocketResponse, words: str) -> float:
    """When it was told."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for message in socket:
            if words in message.data:
                return time.perf_counter()
    raise AssertionError("the stream ended")


async def first_words(drives: Process, watched: list[Process], messages: int) -> list[list[float]]:
    """Milliseconds until the first word was seen at each of these servers, message by message."""
    taken: list[list[float]] = [[] for _ in watched]
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession(headers=headers) as session, drives.client() as client:
        chat = await client.create_chat(ACQUAINTANCE, model="scripted/scripted")
        sockets = [await session.ws_connect(stream_of(server, chat.id)) for server in watched]
        for socket in sockets:
            await until(socket, IDLE)
        for number in range(messages + WARM_UP):
            sent_at = time.perf_counter()
            seen = [asyncio.create_task(until(socket, PART)) for socket in sockets]
            await client.send(chat.id, SCRIPT)
            for times, task in zip(taken, seen, strict=True):
                took = (await task - sent_at) * 1000
                if number >= WARM_UP:
                    times.append(took)
            for socket in sockets:
                await until(socket, IDLE)
    return taken


async def lag(fleet: Fleet, at: Process, chats: int, deltas: int) -> float:
    """How late 99 of 100 words are seen at this server, when the first one drives the chats, in ms."""
    drives, other = fleet.servers
    async with drives.client() as client:
        made = [await client.create_chat("hold", model=MODEL) for _ in range(chats)]
        before, database = cpu_seconds(other.pid), await spent(fleet.raw)
        run = await measure(drives, fleet.speaker, [stream_of(at, chat.id) for chat in made], deltas)
        database, others = (await spent(fleet.raw)).since(database), cpu_seconds(other.pid) - before
    show("same" if at is drives else "other", run)
    thousands = run.deltas / 1000
    print(
        f"       {run.deltas} of {chats * deltas} before they were saved; beside it, CPU-s per 1,000 deltas: "
        f"other server {others / thousands:.3f}, database {database.cpu_seconds / thousands:.3f}",
        flush=True,
    )
    return run.p99_ms


async def bare(speaker: Process, chats: int, deltas: int) -> None:
    """The same words through a relay that does nothing else."""
    async with running(Process("-m", "bench._relay", speaker.address)) as relay:
        address = relay.address.replace("http", "ws", 1)
        show("bare", await measure(relay, speaker, [address] * chats, deltas))


async def run(chats: int, deltas: int, rate: float, messages: int) -> None:
    with throwaway_postgres(durable=True) as database_url:
        speak = Process("-m", "bench._speaker", "--deltas", str(deltas), "--rate", str(rate))
        async with running(speak) as speaker, fleet(speaker, database_url, 2) as servers:
            here, there = (median(times) for times in await first_words(servers[0], servers, messages))
            more = there - here
            print(
                f"first word, median: {here:.1f} ms on the same server, {there:.1f} ms on the other one. "
                f"{more:.1f} ms later (goal {GOAL_FIRST_MS:g} ms): {verdict(more, GOAL_FIRST_MS)}",
                flush=True,
            )
            await bare(speaker, chats, deltas)
            raw = await asyncpg.connect(database_url)
            fleet_of_two = Fleet(speaker, servers, raw)
            await lag(fleet_of_two, servers[0], chats, deltas)
            p99_ms = await lag(fleet_of_two, servers[1], chats, deltas)
            await raw.close()
            print(
                f"p99 on the other server: {p99_ms:.1f} ms (goal {GOAL_LAG_MS:g} ms): "
                f"{verdict(p99_ms, GOAL_LAG_MS)}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chats", type=int, default=50)
    parser.add_argument("--deltas", type=int, default=500, help="of each chat")
    parser.add_argument("--rate", type=float, default=50, help="deltas per second and chat")
    parser.add_argument("--messages", type=int, default=100, help="of which the first word is awaited")
    chosen = parser.parse_args()
    uvloop.run(run(chosen.chats, chosen.deltas, chosen.rate, chosen.messages))


if __name__ == "__main__":
    main()
