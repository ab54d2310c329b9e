"""A bare durable loop for a floor: the least that keeps a message, answers it live and keeps the reply.

    python -m bench._bare_loop DATABASE

DATABASE is the path of an SQLite file or the address of a PostgreSQL. The same web server as ours, and
two durable commits for each turn: the user's message before it is acknowledged, the reply when it is whole.
There are no users, no tools, no retries, no driver and nothing to recover with: what a process needs to
answer, and no more. On SQLite the event loop waits for the disk itself, as the simplest program does.
"""

import asyncio
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import asyncpg
import msgspec
import uvloop
from starlette.types import Receive, Scope, Send

from chatd.api.serving.connections.server import address_of, bound, serve_http

HOST = "127.0.0.1"
DELTAS = 10
SCHEMA = """CREATE TABLE bare_messages (
    chat TEXT NOT NULL, id BIGINT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (chat, id)
)"""
INSERT = "INSERT INTO bare_messages (chat, id, content) VALUES ($1, $2, $3)"

encode = msgspec.json.encode


class Keep(Protocol):
    async def __call__(self, chat: str, number: int, content: str) -> None:
        """Durable when it returns."""
        ...


@asynccontextmanager
async def sqlite(path: str) -> Any:
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("PRAGMA synchronous = FULL")
    raw.execute(SCHEMA)

    async def keep(chat: str, number: int, content: str) -> None:
        raw.execute(INSERT, (chat, number, content))

    yield keep
    raw.close()


@asynccontextmanager
async def postgres(url: str) -> Any:
    async with asyncpg.create_pool(url, min_size=1, max_size=10) as pool:
        await pool.execute(SCHEMA)

        async def keep(chat: str, number: int, content: str) -> None:
            await pool.execute(INSERT, chat, number, content)

        yield keep


async def model() -> Any:
    """Speaks at once, and lets others run after each word."""
    for number in range(DELTAS):
        yield f"word{number} "
        await asyncio.sleep(0)


class Loop:
    def __init__(self, keep: Keep, group: asyncio.TaskGroup) -> None:
        self._keep = keep
        self._group = group
        self._counts: dict[str, int] = defaultdict(int)
        self._viewers: dict[str, set[Callable[[dict[str, Any]], Any]]] = defaultdict(set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chat = scope["path"].split("/")[-2]
        if scope["type"] == "websocket":
            await self._show(chat, receive, send)
        else:
            await self._take(chat, receive, send)

    async def _show(self, chat: str, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": '[{"status":"waiting"}]'})
        self._viewers[chat].add(send)
        await receive()
        self._viewers[chat].discard(send)

    async def _take(self, chat: str, receive: Receive, send: Send) -> None:
        content = msgspec.json.decode((await receive())["body"])["content"]
        number = await self._said(chat, encode(content).decode())
        answer = encode({"id": number, "chat": chat, "content": content})
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": answer})
        self._group.create_task(self._answer(chat))

    async def _answer(self, chat: str) -> None:
        words = []
        await self._tell(chat, {"status": "running"})
        async for word in model():
            words.append(word)
            await self._tell(chat, {"type": "message_part", "part": {"type": "text", "text": word}})
        content = [{"type": "text", "text": "".join(words)}]
        number = await self._said(chat, encode(content).decode())
        await self._tell(chat, {"type": "message", "id": number, "content": content}, {"status": "waiting"})

    async def _said(self, chat: str, content: str) -> int:
        self._counts[chat] += 1
        await self._keep(chat, number := self._counts[chat], content)
        return number

    async def _tell(self, chat: str, *events: dict[str, Any]) -> None:
        frame = encode(events).decode()
        for send in self._viewers[chat]:
            await send({"type": "websocket.send", "text": frame})


async def main(database: str) -> None:
    opened: AbstractAsyncContextManager[Keep] = (postgres if "://" in database else sqlite)(database)
    with bound(HOST, 0) as listener:
        async with opened as keep, asyncio.TaskGroup() as group:
            await serve_http(
                Loop(keep, group),
                listener,
                stop=asyncio.Event(),
                ready=lambda: print("bare loop ready at", address_of(HOST, listener), flush=True),
            )


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
