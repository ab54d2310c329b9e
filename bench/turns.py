"""Turns: what a message and its short answer cost, and how soon the first word is seen.

    python -m bench.turns [--turns N] [--rounds N] [--sqlite | --postgres]

A turn is all of it: a client posts a message, the scripted model answers with ten words as fast as it can,
one viewer over WebSocket sees them come, and the turn ends. The server is a process of its own, as a user
runs it. Clients are a closed loop: each posts again when its viewer has seen the turn end.

| Case | What the clients do |
|---|---|
| old chats | post to a chat of their own whose viewer is connected |
| new chats | create a chat for each turn, and connect a viewer to it |
| a burst | 200 chats with viewers are posted to within one second |

The floor is a bare durable loop (`_bare_loop.py`) in the same run: the same web server, the same two durable
commits, and nothing else. Both take turns, and the median of the rounds counts. CPU is that of the server
alone, all its threads, and not of PostgreSQL.

Goals: at most 6 x the CPU of the bare loop, the first word at most 8 ms after the post when nothing else
happens, and within 250 ms for 99 of 100 chats of the burst.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from statistics import median, quantiles

import aiohttp
import uvloop
from msgspec import Struct

from bench._server import TOKEN, Process, chatd, running, verdict
from bench.load import cpu_seconds, pin
from tools.postgres import throwaway_postgres

GOAL_CPU, GOAL_FIRST_MS, GOAL_BURST_MS = 6.0, 8.0, 250.0
CLIENTS = (1, 20)
BURST_CHATS = 200
PATIENCE_SECONDS = 120
SCRIPT = "stream 10 words at 1000000 per second"
MESSAGE = {"content": [{"type": "text", "text": SCRIPT}]}
SERVER_CORE, CLIENT_CORE = 0, 1


class Measure(Struct, frozen=True):
    """Milliseconds of one turn."""

    cpu: float
    wall: float
    first: float


class Place(Struct, frozen=True):
    """A server under test: where its chats are, and how one is made."""

    process: Process
    chats: str
    makes_chats: bool

    def socket(self, chat: str) -> str:
        return f"{self.chats.replace('http', 'ws', 1)}/{chat}/stream"


class Client:
    """One who talks in a chat, and looks at it."""

    def __init__(self, session: aiohttp.ClientSession, place: Place, name: str) -> None:
        self._session = session
        self._place = place
        self._name = name
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self.firsts: list[float] = []

    async def connect(self) -> None:
        """A chat that rests, and its viewer."""
        chat = await self._create() if self._place.makes_chats else self._name
        await self._look(chat)
        if self._place.makes_chats:
            await self._until_over(time.perf_counter())

    async def turn(self) -> None:
        """Post, and see the answer to its end."""
        began = time.perf_counter()
        async with self._session.post(f"{self._place.chats}/{self._name}/messages", json=MESSAGE) as answer:
            assert answer.status == 200, await answer.text()
            await answer.read()
        await self._until_over(began)

    async def new_chat(self) -> None:
        """A chat of its own for one turn."""
        began = time.perf_counter()
        if self._place.makes_chats:
            await self._look(await self._create())
            await self._until_over(began)
        else:
            self._name += "+"
            await self._look(self._name)
            await self.turn()
        await self.close()

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def _create(self) -> str:
        async with self._session.post(self._place.chats, json=MESSAGE) as answer:
            assert answer.status == 201, await answer.text()
            self._name = str((await answer.json())["id"])
        return self._name

    async def _look(self, chat: str) -> None:
        self._socket = await self._session.ws_connect(self._place.socket(chat), max_msg_size=0)
        if not self._place.makes_chats:
            await self._socket.receive()

    async def _until_over(self, began: float) -> None:
        """Until the agent rests again. What it says may come whole, when it was quicker than we."""
        assert self._socket is not None
        seen = False
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for message in self._socket:
                if not seen and ('"message_part"' in message.data or '"assistant"' in message.data):
                    seen = True
                    self.firsts.append((time.perf_counter() - began) * 1e3)
                if seen and '"status":"waiting"' in message.data:
                    return
        raise AssertionError("the stream ended before the turn did")


@asynccontextmanager
async def clients(place: Place, count: int) -> AsyncIterator[list[Client]]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
        yield [Client(session, place, f"{count}-{number}-{time.monotonic_ns()}") for number in range(count)]


Case = Callable[[Place, int, int], Awaitable[Measure]]


async def old_chats(place: Place, count: int, turns: int) -> Measure:
    async with clients(place, count) as all_clients:
        for client in all_clients:
            await client.connect()
            await client.turn()
        return await measured(place, all_clients, Client.turn, turns)


async def new_chats(place: Place, count: int, turns: int) -> Measure:
    async with clients(place, count) as all_clients:
        return await measured(place, all_clients, Client.new_chat, turns)


async def measured(
    place: Place, all_clients: Sequence[Client], deed: Callable[[Client], Awaitable[None]], turns: int
) -> Measure:
    for client in all_clients:
        client.firsts.clear()
    each = max(1, turns // len(all_clients))
    pin(place.process.pid, SERVER_CORE)
    cpu, wall = cpu_seconds(place.process.pid), time.perf_counter()

    async def go_on(client: Client) -> None:
        for _ in range(each):
            await deed(client)

    async with asyncio.TaskGroup() as group:
        for client in all_clients:
            group.create_task(go_on(client))
    done = each * len(all_clients)
    firsts = [first for client in all_clients for first in client.firsts]
    for client in all_clients:
        await client.close()
    return Measure(
        cpu=(cpu_seconds(place.process.pid) - cpu) / done * 1e3,
        wall=(time.perf_counter() - wall) / done * 1e3,
        first=median(firsts),
    )


async def burst(place: Place) -> list[float]:
    """Milliseconds to the first word of each chat, when all are posted to within a second."""
    async with clients(place, BURST_CHATS) as all_clients:
        for client in all_clients:
            await client.connect()
            client.firsts.clear()

        async def wait_and_post(client: Client, seconds: float) -> None:
            await asyncio.sleep(seconds)
            await client.turn()

        async with asyncio.TaskGroup() as group:
            for number, client in enumerate(all_clients):
                group.create_task(wait_and_post(client, number / BURST_CHATS))
        return [first for client in all_clients for first in client.firsts]


@asynccontextmanager
async def places(folder: Path, url: str | None) -> AsyncIterator[tuple[Place, Place]]:
    """The bare loop and ours, each on a database of its own of the same kind."""
    database = {"database_url": url} if url else {}
    mine = chatd(folder / "data", log_level="info", requests_per_minute="0", concurrency="1000", **database)
    theirs = Process("-m", "bench._bare_loop", url or str(folder / "bare.db"))
    async with running(theirs), running(mine):
        yield (
            Place(theirs, f"{theirs.address}/chats", makes_chats=False),
            Place(mine, f"{mine.address}/api/v1/chats", makes_chats=True),
        )


def middle(rounds: Sequence[Measure]) -> Measure:
    return Measure(*(median(getattr(each, field) for each in rounds) for field in Measure.__struct_fields__))


async def compare(bare: Place, ours: Place, options: argparse.Namespace) -> None:
    cases: dict[str, Case] = {"old chats": old_chats, "new chats": new_chats}
    for name, case in cases.items():
        for count in CLIENTS:
            found: dict[str, list[Measure]] = {"bare": [], "chatd": []}
            for _ in range(options.rounds):
                found["bare"].append(await case(bare, count, options.turns))
                found["chatd"].append(await case(ours, count, options.turns))
            report(name, count, middle(found["bare"]), middle(found["chatd"]))
    for place, who in ((bare, "bare"), (ours, "chatd")):
        found_firsts = [await burst(place) for _ in range(options.rounds)]
        p50, p99 = (median(quantiles(each, n=100)[at] for each in found_firsts) for at in (49, 98))
        print(
            f"  {who:5} {BURST_CHATS} chats in a second: first word p50 {p50:6.1f} ms, p99 {p99:6.1f} ms"
            + (f" (goal {GOAL_BURST_MS:g} ms: {verdict(p99, GOAL_BURST_MS)})" if who == "chatd" else "")
        )


def report(name: str, count: int, bare: Measure, ours: Measure) -> None:
    what = f"{name}, {count} client{'s' if count > 1 else ''}"
    for who, each in (("bare", bare), ("chatd", ours)):
        print(
            f"  {who:5} {what:22} {each.cpu:6.2f} ms CPU a turn, {1e3 / each.cpu:5.0f} turns/s on a core, "
            f"{each.wall:6.2f} ms wall, first word {each.first:6.2f} ms"
        )
    ratio = ours.cpu / bare.cpu
    first = f", first word {verdict(ours.first, GOAL_FIRST_MS)}" if name == "old chats" and count == 1 else ""
    print(
        f"        {ratio:.1f} x the bare loop (goal {GOAL_CPU:g}: {verdict(ratio, GOAL_CPU)}){first}",
        flush=True,
    )


async def run(options: argparse.Namespace) -> None:
    os.sched_setaffinity(0, {CLIENT_CORE})
    kinds = [kind for kind in ("sqlite", "postgres") if options.only in (None, kind)]
    for kind in kinds:
        print(f"\n{kind}", flush=True)
        async with AsyncExitStack() as opened:
            stack = opened.enter_context(ExitStack())
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chatd-bench-")))
            url = stack.enter_context(throwaway_postgres(durable=True)) if kind == "postgres" else None
            bare, ours = await opened.enter_async_context(places(folder, url))
            await compare(bare, ours, options)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=200, help="of all clients together, in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sqlite", dest="only", action="store_const", const="sqlite")
    parser.add_argument("--postgres", dest="only", action="store_const", const="postgres")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
