"""The connections with which servers listen for hints: each behind a proxy of its own, which can be cut."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from tests.fleet.fleet import Fleet
from tests.journeys.server import Server
from tests.storage.postgres.proxy import Mood, Proxy, proxied


class HintLines:
    def __init__(self, database_url: str, opened: AsyncExitStack) -> None:
        self._database_url = database_url
        self._opened = opened
        self._proxies: dict[Server, Proxy] = {}
        # How many cuts of each are under way: they may overlap.
        self._cuts = Counter[Server]()
        self._starting: set[Server] = set()

    async def add_server(self, fleet: Fleet) -> None:
        """One more server, whose listening connection goes through a proxy. All others of it do not."""
        proxy = await self._opened.enter_async_context(proxied(self._database_url))
        server = await fleet.add(env={"CHATD_DATABASE_LISTEN_URL": proxy.url})
        self._proxies[server] = proxy

    @contextmanager
    def cut(self, servers: Sequence[Server]) -> Iterator[None]:
        """Inside the block these servers hear nothing, and are not heard."""
        for server in servers:
            self._cuts[server] += 1
            self._set(server)
        try:
            yield
        finally:
            for server in servers:
                self._cuts[server] -= 1
                self._set(server)

    @contextmanager
    def whole(self, server: Server) -> Iterator[None]:
        """Inside the block its line is not cut: where a server reaches nothing, it does not start."""
        self._starting.add(server)
        self._set(server)
        try:
            yield
        finally:
            self._starting.discard(server)
            self._set(server)

    def _set(self, server: Server) -> None:
        if self._cuts[server] and server not in self._starting:
            self._proxies[server].cut()
        else:
            self._proxies[server].mood = Mood.WELL


@asynccontextmanager
async def hint_lines(database_url: str) -> AsyncIterator[HintLines]:
    async with AsyncExitStack() as opened:
        yield HintLines(database_url, opened)
