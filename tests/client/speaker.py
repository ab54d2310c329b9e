"""A tiny server that speaks our events and breaks off as a test tells it to."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from msgspec import Struct

from chatd.client import AsyncClient


class Plays(Struct, frozen=True, kw_only=True):
    """What one connection gets: a status, and then these events. After them it breaks, or ends politely."""

    events: Sequence[tuple[str, dict[str, Any]]] = ()
    status: int = 200
    breaks: bool = True


class Naps:
    """A clock on which waiting takes no time; it remembers how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def now_micros(self) -> int:
        return 0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Speaker:
    def __init__(self, *plays: Plays) -> None:
        self._plays = list(plays)
        self.address = ""
        # The path and the cursor of each connection.
        self.asked: list[tuple[str, str | None]] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append((request.path, request.query.get("cursor")))
        play = self._plays.pop(0) if self._plays else Plays(status=410)
        if play.status != 200:
            error = {"code": "told", "message": "As told.", "hint": "Go."}
            return web.json_response({"error": error}, status=play.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        await response.write(b"retry: 1000\n\n: still here\n\n")
        for cursor, event in play.events:
            data = json.dumps(event | {"cursor": cursor})
            await response.write(f"id: {cursor}\nevent: {event['type']}\ndata: {data}\n\n".encode())
        if play.breaks:
            assert request.transport is not None
            request.transport.abort()
        return response


@asynccontextmanager
async def speaking(*plays: Plays) -> AsyncIterator[tuple[Speaker, AsyncClient, Naps]]:
    speaker, naps = Speaker(*plays), Naps()
    runner = web.ServerRunner(web.Server(speaker.answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    speaker.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        async with AsyncClient(
            speaker.address, "token", clock=naps, chance=lambda: 1.0, attempts_max=4
        ) as client:
            yield speaker, client, naps
    finally:
        await runner.cleanup()


def status(word: str) -> dict[str, Any]:
    return {"type": "status", "chat_id": "c", "status": word}


def part(words: str, seq: int) -> dict[str, Any]:
    return {
        "type": "message_part",
        "chat_id": "c",
        "role": "assistant",
        "part": {"type": "text", "text": words},
        "history_version": 1,
        "generation_attempt": 1,
        "seq": seq,
    }


def gone() -> dict[str, Any]:
    return {"type": "chat_deleted", "chat_id": "c"}
