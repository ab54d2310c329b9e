"""What it costs viewers that another server of the fleet drives their chat.

    python -m bench.fleet [--chats 10,50,200] [--deltas N] [--rate R] [--messages N]

Two servers on one PostgreSQL that writes to its disk. All messages go to the first one, which drives the
chats. Then, with the viewers at the first server and with the viewers at the second one:

- the first word: from the sending of a message to the first live part, one chat at a time, in turns with the
  same server, so that both have the same luck;
- the lag of live words: each chat is sent R deltas a second, which a provider (`_speaker.py`) stamps with the
  time, and each has one viewer. The last words of a reply come with its message, if that is saved first, and
  count as shown then. Before it, the same words through a bare relay, and with one server that is `alone`.

For each number of chats there are fresh servers, so that their memory tells what a chat takes.

Goals: the first word at most 50 ms later than on the same server in the median, and the lag of live words at
most 100 ms for 99 of 100 words with 50 chats.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import aiohttp
import asyncpg
import uvloop

from bench._database import spent
from bench._server import TOKEN, Process, chatd, running, until_waiting, verdict
from bench.load import MODEL, SETTINGS, cpu_seconds, measure, show, warm_up
from tools.postgres import throwaway_postgres

GOAL_FIRST_MS, GOAL_LAG_MS, GOAL_CHATS = 50.0, 100.0, 50
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
    drives, *others = fleet.servers
    idle_bytes = {each.pid: each.rss_bytes for each in fleet.servers}

    def spent_by_others() -> float:
        return sum(cpu_seconds(each.pid) for each in others)

    async with drives.client() as client:
        made = [await client.create_chat("hold", model=MODEL) for _ in range(chats)]
        before, database = spent_by_others(), await spent(fleet.raw)
        urls = [stream_of(at, chat.id) for chat in made]
        run = await measure(drives, fleet.speaker, urls, deltas, idle_bytes[drives.pid])
        database, beside = (await spent(fleet.raw)).since(database), spent_by_others() - before
    show("alone" if not others else "same" if at is drives else "other", run)
    thousands = run.deltas / 1000
    grown = sum(each.rss_bytes - idle_bytes[each.pid] for each in others)
    print(
        f"       {run.deltas - run.with_message} of {chats * deltas} before they were saved; "
        "beside it, CPU-s per 1,000 deltas: "
        f"other server {beside / thousands:.3f}, database {database.cpu_seconds / thousands:.3f}; "
        f"of each chat {grown / 1e3 / chats:.0f} kB at the other server",
        flush=True,
    )
    return run.p99_ms


async def bare(speaker: Process, chats: int, deltas: int) -> None:
    """The same words through a relay that does nothing else."""
    async with running(Process("-m", "bench._relay", speaker.address)) as relay:
        address = relay.address.replace("http", "ws", 1)
        show("bare", await measure(relay, speaker, [address] * chats, deltas, relay.rss_bytes))


async def later_elsewhere(speaker: Process, messages: int) -> None:
    """How much later the first word is seen at another server than the one that drives the chat."""
    async with started(speaker, 2) as both:
        here, there = (median(times) for times in await first_words(both.servers[0], both.servers, messages))
    more = there - here
    print(
        f"first word, median: {here:.1f} ms on the same server, {there:.1f} ms on the other one. "
        f"{more:.1f} ms later (goal {GOAL_FIRST_MS:g} ms): {verdict(more, GOAL_FIRST_MS)}",
        flush=True,
    )


async def load(speaker: Process, chats: int, deltas: int) -> None:
    """So many chats through a bare relay, through one server, and through two, seen at either."""
    await bare(speaker, chats, deltas)
    async with started(speaker, 1) as alone:
        await lag(alone, alone.servers[0], chats, deltas)
    async with started(speaker, 2) as both:
        await lag(both, both.servers[0], chats, deltas)
    async with started(speaker, 2) as both:
        p99_ms = await lag(both, both.servers[1], chats, deltas)
    goal = f" (goal {GOAL_LAG_MS:g} ms): {verdict(p99_ms, GOAL_LAG_MS)}" if chats == GOAL_CHATS else ""
    print(f"       p99 on the other server: {p99_ms:.1f} ms{goal}", flush=True)


@asynccontextmanager
async def started(speaker: Process, count: int) -> AsyncIterator[Fleet]:
    """Servers that know one another, on a database of their own."""
    with throwaway_postgres(durable=True) as database_url:
        async with fleet(speaker, database_url, count) as servers:
            raw = await asyncpg.connect(database_url)
            try:
                await get_acquainted(servers[0])
                yield Fleet(speaker, servers, raw)
            finally:
                await raw.close()


async def get_acquainted(server: Process) -> None:
    async with server.client() as client:
        chat = await client.create_chat(ACQUAINTANCE, model="scripted/scripted")
        await until_waiting(client, chat.id)
        await warm_up(client)


async def run(chats: Sequence[int], deltas: int, rate: float, messages: int) -> None:
    speak = Process("-m", "bench._speaker", "--deltas", str(deltas), "--rate", str(rate))
    async with running(speak) as speaker:
        await later_elsewhere(speaker, messages)
        for number in chats:
            await load(speaker, number, deltas)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chats", default="10,50,200")
    parser.add_argument("--deltas", type=int, default=500, help="of each chat")
    parser.add_argument("--rate", type=float, default=50, help="deltas per second and chat")
    parser.add_argument("--messages", type=int, default=100, help="of which the first word is awaited")
    chosen = parser.parse_args()
    chats = [int(number) for number in chosen.chats.split(",")]
    uvloop.run(run(chats, chosen.deltas, chosen.rate, chosen.messages))


if __name__ == "__main__":
    main()
