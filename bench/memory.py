"""Memory of a server: idle, and for each viewer, running chat and idle chat.

    python -m bench.memory [--viewers N] [--running N] [--idle N] [--rounds N]

What counts is the resident memory of a server process of its own. Some viewers come first, so that what
happens only once (a module is loaded, a pool grows) is not charged to the others; each looks at a chat of
its own, and then all of them at one that is long: what was told is not to be held on to. The floor of a
viewer is the same connection to a bare server on the same web server.

Goals: at most 60 MB idle, 40 kB for each idle viewer, nothing for an idle chat (less than 0.1 kB).
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median

import aiohttp
import uvloop

from bench._server import TOKEN, Process, bare, chatd, fill, running, verdict
from chatd.domain.ids import ChatId, UserId
from chatd.domain.message import Draft, Role
from chatd.domain.part import Text
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.storage.transactions.transact import Store, create_chat

IDLE_GOAL_MB, VIEWER_GOAL_KB, IDLE_CHAT_GOAL_KB = 60.0, 40.0, 0.1
FIRST = 20
SETTLE_SECONDS = 1.5
RUNNING = 'call wait {"seconds": 3600}'
HELLO = Draft(role=Role.USER, content=(Text(text="Hello there, how are you today?"),))
LONG, LONG_MESSAGES = ChatId("long"), 150
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def settled(server: Process) -> int:
    await asyncio.sleep(SETTLE_SECONDS)
    return server.rss_bytes


async def fill_with(data_dir: Path, chats: int) -> None:
    async def body(store: Store, owner: UserId) -> None:
        new = [
            CreateChat(id=ChatId(f"chat-{number}"), owner_id=owner, messages=(HELLO,))
            for number in range(chats)
        ]
        # Together, so that many share a commit.
        await asyncio.gather(*(create_chat(store, chat, FinishTurn()) for chat in new))
        await create_chat(
            store, CreateChat(id=LONG, owner_id=owner, messages=(HELLO,) * LONG_MESSAGES), FinishTurn()
        )

    await fill(data_dir, body)


def paths(count: int) -> list[str]:
    return [f"/api/v1/chats/chat-{number}/stream" for number in range(count)]


@asynccontextmanager
async def connected(server: Process) -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=None)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        server.address, headers=HEADERS, timeout=timeout, connector=connector
    ) as session:
        yield session


async def view_sse(stack: AsyncExitStack, session: aiohttp.ClientSession, path: str) -> None:
    response = await stack.enter_async_context(session.get(path))
    assert response.status == 200, await response.text()
    await response.content.readany()


async def view_websocket(stack: AsyncExitStack, session: aiohttp.ClientSession, path: str) -> None:
    socket = await stack.enter_async_context(session.ws_connect(path))
    await socket.receive()


async def per_viewer(server: Process, kind: str, where: Sequence[str]) -> float:
    """Kilobytes for each viewer after the first few."""
    view = view_sse if kind == "SSE" else view_websocket
    async with running(server), connected(server) as session, AsyncExitStack() as stack:
        for path in where[:FIRST]:
            await view(stack, session, path)
        before = await settled(server)
        for path in where[FIRST:]:
            await view(stack, session, path)
        after = await settled(server)
        # The other way round, viewers would wait for a server that waits for them.
        await server.kill()
    return (after - before) / (len(where) - FIRST) / 1e3


async def measure_viewers(data_dir: Path, viewers: int) -> None:
    for kind in ("SSE", "WebSocket"):
        floor = await per_viewer(bare(), kind, ["/stream"] * (viewers + FIRST))
        ours = await per_viewer(chatd(data_dir, requests_per_minute="0"), kind, paths(viewers + FIRST))
        print(
            f"  an idle {kind} viewer: {ours:.1f} kB, a bare one {floor:.1f} kB, so {ours / floor:.2f} x "
            f"(goal {VIEWER_GOAL_KB:.0f} kB: {verdict(ours, VIEWER_GOAL_KB)})"
        )
        long = await per_viewer(
            chatd(data_dir, requests_per_minute="0"),
            kind,
            [f"/api/v1/chats/{LONG}/stream"] * (viewers + FIRST),
        )
        print(
            f"  an idle {kind} viewer of {LONG_MESSAGES} messages: {long:.1f} kB "
            f"(goal {VIEWER_GOAL_KB:.0f} kB: {verdict(long, VIEWER_GOAL_KB)})"
        )


async def measure_chats(empty: Path, filled: Path, options: argparse.Namespace) -> None:
    # Two processes of the same program differ by some pages, so there are several, taking turns.
    found: list[list[int]] = [[], [], []]
    for _ in range(options.rounds):
        for sizes, each_server in zip(found, (bare(), chatd(empty), chatd(filled)), strict=True):
            async with running(each_server) as server:
                sizes.append(await settled(server))
    floor, idle, full = (median(sizes) for sizes in found)
    megabytes = idle / 1e6
    print(
        f"  an idle server: {megabytes:.1f} MB, a bare one {floor / 1e6:.1f} MB, so {idle / floor:.2f} x "
        f"(goal {IDLE_GOAL_MB:.0f} MB: {verdict(megabytes, IDLE_GOAL_MB)})"
    )
    each = (full - idle) / options.idle / 1e3
    print(
        f"  an idle chat of {options.idle:,}: {each:.2f} kB "
        f"(goal {IDLE_CHAT_GOAL_KB} kB: {verdict(each, IDLE_CHAT_GOAL_KB)})"
    )
    async with running(chatd(empty)) as server, server.client() as client:
        for _ in range(FIRST // 2):
            await client.create_chat(RUNNING)
        before = await settled(server)
        for _ in range(options.running):
            await client.create_chat(RUNNING)
        each = (await settled(server) - before) / options.running / 1e3
        print(f"  a running chat of {options.running}, in a long call: {each:.1f} kB (no goal)")


async def run(options: argparse.Namespace) -> None:
    print("\nResident memory of a server process")
    with tempfile.TemporaryDirectory(prefix="chatd-bench-") as folder:
        empty, filled = Path(folder) / "empty", Path(folder) / "filled"
        await fill_with(empty, 0)
        await fill_with(filled, options.idle)
        await measure_chats(empty, filled, options)
        await measure_viewers(filled, options.viewers)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--viewers", type=int, default=200, help="viewers of each kind, at most 400")
    parser.add_argument("--running", type=int, default=50, help="running chats, at most 50")
    parser.add_argument("--idle", type=int, default=5000, help="idle chats, more than there are viewers")
    parser.add_argument("--rounds", type=int, default=3, help="how many idle servers of each kind")
    options = parser.parse_args()
    # One user's requests of a minute are limited to 512, and running chats to 64.
    if options.viewers > 400 or options.running > 50 or options.idle < options.viewers + FIRST:
        parser.error("--viewers is at most 400, --running at most 50, --idle at least viewers + 20")
    uvloop.run(run(options))


if __name__ == "__main__":
    main()
