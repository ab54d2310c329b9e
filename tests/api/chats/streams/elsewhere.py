"""Another server on the same database, at which somebody watches what the first one changes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import aiohttp

from chatd.api.app import build
from chatd.api.serving.connections.server import address_of, bound, serve_http
from chatd.domain.people.permit import USUAL_POLICY, Policy
from chatd.hints.hint import CatalogChanged
from chatd.hints.memory import MemoryBus
from chatd.live.live import Live
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock

HOST = "127.0.0.1"


class Elsewhere:
    def __init__(
        self,
        store: Store,
        clock: MovedClock,
        group: asyncio.TaskGroup,
        session: aiohttp.ClientSession,
        listeners: ExitStack,
    ) -> None:
        self._store, self._clock = store, clock
        self._group, self._session, self._listeners = group, session, listeners
        self._stop = asyncio.Event()
        self._sockets: list[Any] = []

    async def watch(
        self, path: str, *, hears: bool, policy: Policy = USUAL_POLICY, **shown: Any
    ) -> tuple[Live, Any]:
        """A server that hears hints of the other one, or not, and a WebSocket to it."""
        # As one that shares the database, and the bus if it hears.
        store = self._store if hears else Store(self._store.db, MemoryBus())
        live, listening = Live(store, self._clock), asyncio.Event()
        listener = self._listeners.enter_context(bound(HOST, 0))
        app = build(store, live, policy=policy, now_seconds=self._clock.monotonic)
        self._group.create_task(
            serve_http(app, listener, stop=self._stop, ready=listening.set, end_streams=live.streams.end)
        )
        self._group.create_task(self._hear(store, live))
        await listening.wait()
        socket = await self._session.ws_connect(f"{address_of(HOST, listener)}{path}", **shown)
        self._sockets.append(socket)
        return live, socket

    async def close(self) -> None:
        for socket in self._sockets:
            await socket.close()
        self._stop.set()

    async def _hear(self, store: Store, live: Live) -> None:
        with store.hints.listening_to_news(CatalogChanged, live.streams.hear):
            await self._stop.wait()


@asynccontextmanager
async def watching_elsewhere(store: Store, clock: MovedClock) -> AsyncIterator[Elsewhere]:
    with ExitStack() as listeners:
        async with asyncio.TaskGroup() as group, aiohttp.ClientSession() as session:
            elsewhere = Elsewhere(store, clock, group, session, listeners)
            yield elsewhere
            await elsewhere.close()
