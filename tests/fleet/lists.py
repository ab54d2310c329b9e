"""Somebody who follows a list of chats over one connection, and does not come back when it ends."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.journeys.server import Server


class WatchedList:
    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def until(self, *types: str) -> Any:
        """The next event of one of these types. What comes before it is passed over."""
        while True:
            line = await self._answer.content.readline()
            assert line, "the stream has ended"
            if line.startswith(b"data: "):
                event = json.loads(line.removeprefix(b"data: "))
                if event["type"] in types:
                    return event


@asynccontextmanager
async def watching_list(server: Server, token: str) -> AsyncIterator[WatchedList]:
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    async with (
        aiohttp.ClientSession(server.address, headers=headers) as session,
        session.get("/api/v1/chats/watch", timeout=aiohttp.ClientTimeout(total=None)) as answer,
    ):
        assert answer.status == 200
        yield WatchedList(answer)
