"""CPU of the server per part and viewer, against a bare relay of the same bytes.

    python -m bench.fan_out [--parts N] [--rate R] [--viewers 1,10,100] [--rounds N]

The server runs in a process of its own and its viewers in this one, over real sockets (WebSocket). One
agent speaks R parts a second. Ours is the whole way from `Episode.add`: encoding, cursors, frames, the
part log once a second. The bare relay has the events as text already, keeps them in a list, and sends
each viewer whatever is new in one frame; it is the same server without anything of ours.

Goals: at most 3 x a bare relay with one viewer, and each further viewer at most a third of the first.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import aiohttp
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.app import build
from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.domain.ids import ChatId
from chatd.domain.message import Draft, Role
from chatd.domain.part import Text
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.hints.memory import MemoryBus
from chatd.kit import log
from chatd.kit.clock import SystemClock
from chatd.live.episodes.episode import EpisodeKey
from chatd.live.live import Live
from chatd.storage.migrate import migrate
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.transactions.transact import Store, create_chat, transact

CHAT = ChatId("bench")
PATH = f"/api/v1/chats/{CHAT}/stream"
WORD = " streaming"
EVENT = (
    '{"type":"message_part","chat_id":"bench","role":"assistant","part":{"type":"text","text":"%s"},'
    '"history_version":1,"generation_attempt":1,"seq":%d,"cursor":"%d.1.1.1.0.0.0.0.0.2.0.0.2923847561.123456789"}'
)

Speak = Callable[[int], None]


@asynccontextmanager
async def ours() -> AsyncIterator[tuple[ASGIApp, Speak, str, Awaitable[None], Callable[[], None]]]:
    """The application, a way to speak in it, a token, what runs beside it, and its end."""
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        async with open_sqlite(Path(folder) / "chatd.db", now_micros=clock.now_micros) as db:
            await migrate(db)
            user = await create_user(db, "bench", UserRole.MEMBER)
            store = Store(db, MemoryBus())
            hello = Draft(role=Role.USER, content=(Text(text="hello"),), created_by=user.id)
            await create_chat(store, CreateChat(id=CHAT, owner_id=user.id, messages=(hello,)))
            versions = (await transact(store, CHAT, BeginAttempt())).chat.versions
            live = Live(store, clock)
            episode = live.board.open(EpisodeKey(CHAT, versions.history, versions.attempt))

            def speak(_: int) -> None:
                episode.add(Role.ASSISTANT, Text(text=WORD))

            token = await create_token(db, user.id, "bench")
            yield build(store, live), speak, token, live.run(), live.streams.end


@asynccontextmanager
async def bare() -> AsyncIterator[tuple[ASGIApp, Speak, str, Awaitable[None], Callable[[], None]]]:
    said: list[str] = []
    woken: set[asyncio.Event] = set()
    ended = False

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        bell, seen = asyncio.Event(), 0
        woken.add(bell)
        while not ended:
            await bell.wait()
            bell.clear()
            new = said[seen:]
            seen += len(new)
            if new:
                await send({"type": "websocket.send", "text": "[" + ",".join(new) + "]"})

    def speak(number: int) -> None:
        said.append(EVENT % (WORD, number, number))
        for bell in woken:
            bell.set()

    def end() -> None:
        nonlocal ended
        ended = True
        for bell in woken:
            bell.set()

    yield app, speak, "none", asyncio.sleep(3600), end


async def serve(kind: str, parts: int, rate: float) -> None:
    """The child: says where it is, speaks when it is told to, and reports what that cost."""
    log.set_up(level="warning", pretty=False)
    stop = asyncio.Event()
    async with (ours if kind == "ours" else bare)() as (app, speak, token, beside, end):
        with bound("127.0.0.1", 0) as listener:
            async with asyncio.TaskGroup() as group:
                running = group.create_task(_await(beside))
                address = address_of("127.0.0.1", listener)
                group.create_task(
                    serve_http(
                        app,
                        listener,
                        stop=stop,
                        ready=lambda: print(address, token, flush=True),
                        end_streams=end,
                    )
                )
                await _line()
                cpu, began = time.process_time(), time.perf_counter()
                for number in range(1, parts + 1):
                    speak(number)
                    await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
                await _line()
                print(time.process_time() - cpu, flush=True)
                running.cancel()
                stop.set()


async def _await(awaitable: Awaitable[None]) -> None:
    await awaitable


async def _line() -> None:
    await asyncio.to_thread(sys.stdin.readline)


async def measure(kind: str, viewers: int, parts: int, rate: float) -> float:
    """CPU seconds of the server for all parts to all viewers."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.fan_out", "--serve", kind, "--parts", str(parts), "--rate", str(rate),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    address, token = (await child.stdout.readline()).decode().split()
    async with aiohttp.ClientSession(address, headers={"Authorization": f"Bearer {token}"}) as session:
        async with asyncio.TaskGroup() as group:
            joined = asyncio.Barrier(viewers + 1)
            for _ in range(viewers):
                group.create_task(_view(session, parts, joined))
            await joined.wait()
            child.stdin.write(b"go\n")
        child.stdin.write(b"done\n")
        cpu = float(await child.stdout.readline())
    await child.wait()
    return cpu


async def _view(session: aiohttp.ClientSession, parts: int, joined: asyncio.Barrier) -> None:
    async with session.ws_connect(PATH) as socket:
        await joined.wait()
        seen = 0
        while seen < parts:
            seen += str((await socket.receive()).data).count('"message_part"')


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--serve", choices=["ours", "bare"], help=argparse.SUPPRESS)
    parser.add_argument("--parts", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--viewers", default="1,10,100")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.serve:
        await serve(given.serve, given.parts, given.rate)
        return
    print(f"{given.parts} parts at {given.rate:.0f} a second; CPU of the server, median of {given.rounds}")
    print("viewers   ours µs/part   bare µs/part   ratio   ours µs/part/viewer")
    for viewers in map(int, given.viewers.split(",")):
        found: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(given.rounds):
            for kind, costs in found.items():
                costs.append(await measure(kind, viewers, given.parts, given.rate))
        mine, floor = (median(found[kind]) / given.parts * 1e6 for kind in ("ours", "bare"))
        print(f"{viewers:7} {mine:14.1f} {floor:14.1f} {mine / floor:7.2f} {mine / viewers:21.1f}")


if __name__ == "__main__":
    uvloop.run(main())
