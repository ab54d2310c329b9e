"""From the sending of a message to the first live part at a viewer: what we add to a model's own delay.

    python -m bench.first_part [--messages N]

The server is a process of its own, on SQLite with synchronous=FULL; the viewer reads Server-Sent Events
over a real socket and waits in an idle chat; the scripted model speaks without a pause. In between lie
three commits that we want (the message is kept before it is acknowledged, a worker takes the chat, the
attempt is counted before the model is asked) and the reading of the history. The floor is a bare server
that answers the same POST and sends one event. The two take turns, message by message, and so does a bare
durable commit on the same disk: when that is slow, so are we.

Goal: at most 5 ms more than the bare server, in the median, on an idle machine.
"""

import argparse
import asyncio
import itertools
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing
from pathlib import Path
from statistics import median, quantiles

import aiohttp
import uvloop
from msgspec import Struct

from bench._server import TOKEN, Process, bare, chatd, running, until_waiting, verdict
from chatd.kit.codec import encode

GOAL_MS = 5.0
WARM_UP = 20
CHATS = 20
# One user's requests of a minute are limited to 512.
MESSAGES_MAX = 400
# A reply that is whole before anybody looked is shown whole, so this one takes a little longer.
SCRIPT = "stream 1 words at 100000 per second\nwait 0.03"
BODY = encode({"content": [{"type": "text", "text": SCRIPT}]})
PATIENCE_SECONDS = 30


class Disk:
    """Commits of one small row, for comparison."""

    def __init__(self, path: Path) -> None:
        self._raw = sqlite3.connect(path, isolation_level=None)
        self._raw.execute("PRAGMA journal_mode = WAL")
        self._raw.execute("PRAGMA synchronous = FULL")
        self._raw.execute("CREATE TABLE note (words TEXT)")
        self.taken: list[float] = []

    def commit(self) -> None:
        began = time.perf_counter()
        self._raw.execute("INSERT INTO note VALUES ('a row')")
        self.taken.append((time.perf_counter() - began) * 1e3)

    def close(self) -> None:
        self._raw.close()


class Taken(Struct):
    """Milliseconds of every message until it was acknowledged, and until something was said."""

    answered: list[float]
    first_part: list[float]


class Viewer:
    """One open stream; whoever waits for a word of it finds when it was seen."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._seen: dict[bytes, asyncio.Future[float]] = {}

    def expect(self, word: bytes) -> "asyncio.Future[float]":
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._seen[word] = future
        return future

    async def read(self) -> None:
        async for chunk in self._response.content.iter_any():
            now = time.perf_counter()
            for word in [word for word in self._seen if word in chunk]:
                self._seen.pop(word).set_result(now)


@asynccontextmanager
async def viewing(session: aiohttp.ClientSession, path: str) -> AsyncIterator[Viewer]:
    timeout = aiohttp.ClientTimeout(total=None)
    async with session.get(path, timeout=timeout) as response:
        assert response.status == 200, await response.text()
        viewer = Viewer(response)
        reading = asyncio.create_task(viewer.read())
        try:
            yield viewer
        finally:
            reading.cancel()


def sender(
    session: aiohttp.ClientSession, viewer: Viewer, path: str, *, over: bytes | None
) -> Callable[[Taken], Awaitable[None]]:
    """Sends one message and waits for what comes of it; `over` is what the stream says last."""

    async def send(taken: Taken) -> None:
        first = viewer.expect(b'"message_part"')
        last = viewer.expect(over) if over is not None else first
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE_SECONDS):
            async with session.post(path, data=BODY) as response:
                await response.read()
                answered = time.perf_counter()
            assert response.status in {200, 201, 202}, response.status
            taken.first_part.append((await first - began) * 1e3)
            taken.answered.append((answered - began) * 1e3)
            await last
        # The worker lets go of the chat, as it would have long since when a person writes again.
        await asyncio.sleep(0.02)

    return send


@asynccontextmanager
async def ours(server: Process) -> AsyncIterator[Callable[[Taken], Awaitable[None]]]:
    """In several chats in turn, so that none of them grows long."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(server.client())
        session = await stack.enter_async_context(aiohttp.ClientSession(server.address, headers=headers))
        senders = []
        for _ in range(CHATS):
            chat = await client.create_chat(SCRIPT)
            await until_waiting(client, chat.id)
            path = f"/api/v1/chats/{chat.id}"
            viewer = await stack.enter_async_context(viewing(session, f"{path}/stream"))
            senders.append(sender(session, viewer, f"{path}/messages", over=b'"status":"waiting"'))
        await asyncio.sleep(0.2)
        turns = itertools.cycle(senders)

        async def send(taken: Taken) -> None:
            await next(turns)(taken)

        yield send


@asynccontextmanager
async def floor(server: Process) -> AsyncIterator[Callable[[Taken], Awaitable[None]]]:
    headers = {"Content-Type": "application/json"}
    async with (
        aiohttp.ClientSession(server.address, headers=headers) as session,
        viewing(session, "/stream") as viewer,
    ):
        await asyncio.sleep(0.2)
        yield sender(session, viewer, "/", over=None)


async def run(messages: int) -> None:
    taken = {"bare": Taken([], []), "ours": Taken([], [])}
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder, ExitStack() as stack:
        async with (
            running(bare()) as theirs,
            running(chatd(Path(folder) / "data")) as mine,
            floor(theirs) as send_bare,
            ours(mine) as send_ours,
        ):
            disk = stack.enter_context(closing(Disk(Path(folder) / "bare.db")))
            warming = Taken([], [])
            for _ in range(WARM_UP):
                await send_bare(warming)
                await send_ours(warming)
            for _ in range(messages):
                await send_bare(taken["bare"])
                await send_ours(taken["ours"])
                disk.commit()
    print(f"\nMilliseconds from the sending of a message, {messages} messages")
    print("            acknowledged: median    p90   first part: median    p90")
    for name, found in taken.items():
        numbers = (
            median(found.answered),
            p90(found.answered),
            median(found.first_part),
            p90(found.first_part),
        )
        print("  {:10} {:20.2f} {:6.2f} {:20.2f} {:6.2f}".format(name, *numbers))
    print(f"  a bare commit on this disk: {median(disk.taken):.2f} ms median, {p90(disk.taken):.2f} ms p90")
    added = median(taken["ours"].first_part) - median(taken["bare"].first_part)
    added_p90 = p90(taken["ours"].first_part) - p90(taken["bare"].first_part)
    print(f"  added to the first part: {added:.2f} ms median (goal {GOAL_MS} ms: {verdict(added, GOAL_MS)}), "
          f"{added_p90:.2f} ms p90")  # fmt: skip


def p90(values: list[float]) -> float:
    return quantiles(values, n=10)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=300, help=f"how many to send, at most {MESSAGES_MAX}")
    options = parser.parse_args()
    if not 10 <= options.messages <= MESSAGES_MAX:
        parser.error(f"--messages must be from 10 to {MESSAGES_MAX}")
    uvloop.run(run(options.messages))


if __name__ == "__main__":
    main()
