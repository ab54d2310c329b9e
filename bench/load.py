"""The whole way: a provider speaks, chats listen, one viewer each. How many keep up, at what cost.

    python -m bench.load [--chats 10,50,200] [--deltas N] [--rate R] [--messages N]

Three kinds of processes: a provider (`_speaker.py`) that sends each chat R deltas a second and stamps them
with the time; `chatd serve` as a user runs it, on SQLite, alone on one core; and the viewers, over
WebSocket, who compare the stamps with their own clock. Beside it, in the same run, a bare relay: for every
viewer it reads the provider's stream and sends the bytes on, and does nothing else.

What the same costs with a PostgreSQL, and with two processes, the viewers at the other one: `fleet.py`.

A chat is kept in real time when none of its deltas is shown more than 100 ms after it was sent.

Then one chat alone: what a turn of it costs when it has ten messages, and when it has 2,000. A bare client
that posts as many bytes tells how much of the difference is the bytes themselves.
"""

import argparse
import asyncio
import io
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median, quantiles

import aiohttp
import uvloop
from msgspec import Struct

from bench._server import TOKEN, Process, chatd, running, until_waiting, verdict
from chatd.client.asynchronous import AsyncClient

GOAL_CPU, GOAL_RELAY, GOAL_LENGTH = 0.12, 3.0, 1.3
LATE_SECONDS = 0.1
# When no delta has come for so long, no more will.
QUIET_SECONDS = 20
# A delta alone, and the message that all of them become.
STAMP = re.compile(rb'"(?:text|content)":"(\d{12,}) "')
SAVED = re.compile(rb'"text":"((?:\d{12,} ?){2,})"')
MODEL = "speaker/steady"
TURNS = 10
WORDS = "So it went on, and nobody knew for how long it would. "
SETTINGS = """\
[[providers]]
name = "speaker"
type = "openai-compatible"
base_url = "{address}"

[[models]]
provider = "speaker"
model = "steady"
context_limit = 100000000
compression_threshold = 100
default = true
"""


class Run(Struct, frozen=True):
    chats: int
    deltas: int
    with_message: int
    in_time: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    cpu_per_1000: float
    cpu_percent: float
    memory_mb: float
    # What the process has grown by since it was idle.
    grown_mb: float


class Watcher:
    """One viewer: when each delta came, against when it was sent."""

    def __init__(self) -> None:
        self.lags: list[float] = []
        # The last ones may come with the message, when that is saved before they are shown.
        self.with_message = 0

    def take(self, data: bytes) -> None:
        now = time.monotonic_ns()
        self.lags.extend((now - int(stamp)) / 1e9 for stamp in STAMP.findall(data))
        for saved in SAVED.findall(data):
            rest = saved.split()[len(self.lags) :]
            self.lags.extend((now - int(stamp)) / 1e9 for stamp in rest)
            self.with_message += len(rest)


def cpu_seconds(pid: int) -> float:
    """Of all its threads, to the nanosecond."""
    return sum(
        int((task / "schedstat").read_text(encoding="ascii").split()[0]) / 1e9
        for task in Path(f"/proc/{pid}/task").iterdir()
    )


def pin(pid: int, core: int) -> None:
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


@asynccontextmanager
async def viewing(
    session: aiohttp.ClientSession, url: str, watcher: Watcher, group: asyncio.TaskGroup
) -> AsyncIterator[None]:
    async with session.ws_connect(
        url, headers={"authorization": f"Bearer {TOKEN}"}, max_msg_size=0
    ) as socket:

        async def watch() -> None:
            async for message in socket:
                watcher.take(message.data.encode() if isinstance(message.data, str) else message.data)

        group.create_task(watch())
        yield


async def held(session: aiohttp.ClientSession, speaker: str) -> int:
    async with session.get(f"{speaker}/held") as answer:
        return int(await answer.text())


async def measure(
    server: Process,
    speaker: Process,
    urls: Sequence[str],
    deltas: int,
    idle_bytes: int,
) -> Run:
    """Everyone looks, the provider begins, and whatever happens from then on counts."""
    watchers = [Watcher() for _ in urls]
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        sockets = [viewing(session, url, watcher, group) for url, watcher in zip(urls, watchers, strict=True)]
        for socket in sockets:
            await socket.__aenter__()
        while await held(session, speaker.address) < len(urls):  # noqa: ASYNC110 - it is in another process
            await asyncio.sleep(0.1)
        before, began = cpu_seconds(server.pid), time.monotonic()
        async with session.get(f"{speaker.address}/go"):
            pass
        wanted, seen, grown_at = deltas * len(urls), 0, began
        # It ends when everything was seen, or when it is clear that the rest will be late, or saved first.
        while seen < wanted and time.monotonic() - max(began, grown_at) < QUIET_SECONDS:
            await asyncio.sleep(0.2)
            now_seen = sum(len(w.lags) for w in watchers)
            grown_at = time.monotonic() if now_seen > seen else grown_at
            seen = now_seen
        used, took = cpu_seconds(server.pid) - before, time.monotonic() - began
        memory = server.rss_bytes
        for socket in sockets:
            await socket.__aexit__(None, None, None)
    lags = sorted(lag for watcher in watchers for lag in watcher.lags)
    percentiles = quantiles(lags, n=100)
    return Run(
        chats=len(urls),
        deltas=len(lags),
        with_message=sum(w.with_message for w in watchers),
        in_time=sum(len(w.lags) == deltas and max(w.lags) <= LATE_SECONDS for w in watchers),
        p50_ms=percentiles[49] * 1000,
        p99_ms=percentiles[98] * 1000,
        worst_ms=lags[-1] * 1000,
        cpu_per_1000=used / len(lags) * 1000,
        cpu_percent=used / took * 100,
        memory_mb=memory / 1e6,
        grown_mb=(memory - idle_bytes) / 1e6,
    )


def show(name: str, run: Run) -> None:
    print(
        f"{name:>6} {run.chats:>4} chats: {run.in_time:>3} in real time, lag p50 {run.p50_ms:5.1f} ms, "
        f"p99 {run.p99_ms:6.1f} ms, worst {run.worst_ms:6.1f} ms, {run.cpu_per_1000:.3f} CPU-s per 1,000 "
        f"deltas ({run.cpu_percent:.0f} % of a core), {run.memory_mb:.0f} MB; of each chat "
        f"{run.cpu_percent / run.chats:.2f} % and {run.grown_mb * 1e3 / run.chats:.0f} kB",
        flush=True,
    )


@asynccontextmanager
async def ours(speaker: Process, **settings: str) -> AsyncIterator[Process]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "chatd.toml"
        config.write_text(SETTINGS.format(address=f"{speaker.address}/v1"), encoding="utf-8")
        server = chatd(Path(folder), log_level="warning", concurrency="1000", **settings)
        async with running(server), server.client() as client:
            # Each of these is a model call beside the turns.
            await client.change_settings(titles=False, turn_labels=False, chat_summaries=False)
            pin(server.pid, 0)
            yield server


async def warm_up(client: AsyncClient) -> None:
    """One turn: what the first call of a provider loads is not what a chat takes."""
    chat = await client.create_chat("Hello.", model=MODEL)
    await until_waiting(client, chat.id)


async def load_ours(speaker: Process, chats: int, deltas: int) -> Run:
    async with ours(speaker) as server, server.client() as client:
        await warm_up(client)
        idle_bytes = server.rss_bytes
        made = [await client.create_chat("hold", model=MODEL) for _ in range(chats)]
        socket_address = server.address.replace("http", "ws", 1)
        urls = [f"{socket_address}/api/v1/chats/{chat.id}/stream" for chat in made]
        return await measure(server, speaker, urls, deltas, idle_bytes)


async def load_bare(speaker: Process, chats: int, deltas: int) -> Run:
    relay = Process("-m", "bench._relay", speaker.address)
    async with running(relay):
        pin(relay.pid, 0)
        address = relay.address.replace("http", "ws", 1)
        return await measure(relay, speaker, [address] * chats, deltas, relay.rss_bytes)


class Length(Struct, frozen=True):
    """A chat of so many messages: CPU of one of its turns, and the bytes that it sends."""

    messages: int
    turn_ms: float
    bytes_sent: int


async def lengths(short: int, long: int, rounds: int) -> list[Length]:
    """Turns in a short and in a long chat, in turns, so that both have the same luck."""
    async with (
        running(Process("-m", "bench._speaker")) as speaker,
        ours(speaker) as server,
        aiohttp.ClientSession(headers={"authorization": f"Bearer {TOKEN}"}) as session,
    ):
        chats = {number: await grown(session, server, number) for number in (short, long)}
        sockets = {number: await looking(session, chat) for number, chat in chats.items()}
        spent: dict[int, list[float]] = {number: [] for number in chats}
        for number, chat in chats.items():
            await talk(session, chat, sockets[number], turns=3)
        for _ in range(rounds):
            for number, chat in chats.items():
                before = cpu_seconds(server.pid)
                await talk(session, chat, sockets[number], turns=TURNS)
                spent[number].append((cpu_seconds(server.pid) - before) / TURNS * 1000)
        return [Length(n, median(spent[n]), n * len(WORDS) * 3 // 2) for n in (short, long)]


async def grown(session: aiohttp.ClientSession, server: Process, messages: int) -> str:
    """The address of a chat that has already so many messages."""
    said = [
        {"role": role, "content": [{"type": "text", "text": WORDS}]}
        for _ in range(messages // 2)
        for role in ("user", "assistant")
    ]
    body = {"format": "chatd-chat", "version": 1, "title": "Grown", "messages": said}
    async with session.post(f"{server.address}/api/v1/chats/import", json=body) as answer:
        answer.raise_for_status()
        return f"{server.address}/api/v1/chats/{(await answer.json())['id']}"


async def looking(session: aiohttp.ClientSession, chat: str) -> aiohttp.ClientWebSocketResponse:
    return await session.ws_connect(f"{chat.replace('http', 'ws', 1)}/stream", max_msg_size=0)


async def talk(
    session: aiohttp.ClientSession, chat: str, socket: aiohttp.ClientWebSocketResponse, *, turns: int
) -> None:
    """Say something and hear the answer to the end, so many times."""
    said = {"content": [{"type": "text", "text": "And then?"}], "model": MODEL}
    for _ in range(turns):
        async with session.post(f"{chat}/messages", json=said) as answer:
            answer.raise_for_status()
        works = False
        async for message in socket:
            works = works or '"status":"running"' in message.data
            if works and '"status":"waiting"' in message.data:
                break


async def posting(address: str, size: int) -> float:
    """CPU, in milliseconds, of sending so many bytes with nothing around it."""
    async with aiohttp.ClientSession() as session:
        body = b"x" * size
        before = time.process_time()
        for _ in range(TURNS):
            async with session.post(address, data=io.BytesIO(body)) as answer:
                await answer.read()
        return (time.process_time() - before) / TURNS * 1000


async def compare_lengths(messages: int, rounds: int) -> None:
    short, long = await lengths(10, messages, rounds)
    async with running(Process("-m", "bench._speaker")) as speaker:
        bytes_ms = await posting(speaker.address, long.bytes_sent) - await posting(
            speaker.address, short.bytes_sent
        )
    ratio = (long.turn_ms - max(0.0, bytes_ms)) / short.turn_ms
    print(
        f"a turn in a chat of {short.messages} messages: {short.turn_ms:.2f} ms CPU; of {long.messages}: "
        f"{long.turn_ms:.2f} ms, of which {max(0.0, bytes_ms):.2f} ms are the bytes sent. "
        f"Apart from them {ratio:.2f} x (goal {GOAL_LENGTH:g}): {verdict(ratio, GOAL_LENGTH)}"
    )


async def run(chats: Sequence[int], deltas: int, rate: float, messages: int, rounds: int) -> None:
    os.sched_setaffinity(0, {1})
    for number in chats:
        async with running(
            Process("-m", "bench._speaker", "--deltas", str(deltas), "--rate", str(rate))
        ) as speaker:
            pin(speaker.pid, 1)
            bare = await load_bare(speaker, number, deltas)
            show("bare", bare)
            mine = await load_ours(speaker, number, deltas)
            show("chatd", mine)
        ratio = mine.cpu_per_1000 / bare.cpu_per_1000
        print(
            f"       {ratio:.1f} x a bare relay (goal {GOAL_RELAY:g}): {verdict(ratio, GOAL_RELAY)}; "
            f"{mine.cpu_per_1000:.3f} CPU-s per 1,000 deltas (goal {GOAL_CPU:g}): "
            f"{verdict(mine.cpu_per_1000, GOAL_CPU)}; in real time {mine.in_time} of {number}: "
            f"{verdict(number, mine.in_time)}",
            flush=True,
        )
    os.sched_setaffinity(0, {0, 1})
    await compare_lengths(messages, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chats", default="10,50,200")
    parser.add_argument("--deltas", type=int, default=500, help="of each chat")
    parser.add_argument("--rate", type=float, default=50, help="deltas per second and chat")
    parser.add_argument("--messages", type=int, default=2000, help="of the long chat")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    chats = [int(number) for number in chosen.chats.split(",")]
    uvloop.run(run(chats, chosen.deltas, chosen.rate, chosen.messages, chosen.rounds))


if __name__ == "__main__":
    main()
