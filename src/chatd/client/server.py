"""One server, as every kind of client has it: its address, what is shown to it, and a connection to it."""

import random
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import aiohttp

from chatd.client.address import Address
from chatd.client.follow import ATTEMPTS_MAX, ReconnectPolicy
from chatd.client.pages import P, Pages, Query
from chatd.client.transport import Transport
from chatd.kit.clock import Clock, SystemClock


class ServerClient:
    """Connected for the time of a block: it is a context manager."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        attempts_max: int = ATTEMPTS_MAX,
    ) -> None:
        self._address = Address(base_url)
        self._headers = headers
        self._reconnect = ReconnectPolicy(
            clock=clock or SystemClock(), chance=chance, attempts_max=attempts_max
        )
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(headers=self._headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def address(self) -> str:
        """Of the server."""
        return self._address.url

    @property
    def find_address(self) -> Callable[[], str | None]:
        """Asked where the server is now, whenever it cannot be reached."""
        return self._address.find

    @find_address.setter
    def find_address(self, find: Callable[[], str | None]) -> None:
        self._address.find = find

    @property
    def _http(self) -> Transport:
        assert self._session is not None, "use the client as a context manager"
        return Transport(self._session, self._address)

    def _pages(self, path: str, page: type[P], query: Query) -> Pages[P, Any]:
        """A list: one page of it, or all of it."""
        return Pages(lambda asked: self._http.ask("GET", path, page, query=asked), query)
