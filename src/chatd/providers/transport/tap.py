"""The seam for a recorder of what was really sent, and what came back. It changes neither.

Without a tap nothing of this is used: a source is read as the network brings it.
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from chatd.providers.transport.source import Post, Source


class Sending(Struct, frozen=True, kw_only=True):
    """One request as it goes out. It holds keys; a recorder takes them out before it keeps anything."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    # What only the provider may read, wherever it turns up.
    keys: tuple[str, ...]
    # The names of headers that an administrator has set, in lower case; their values are among the keys.
    private: frozenset[str] = frozenset()
    method: str = "POST"


class Exchange(Protocol):
    """One round trip, told as it happens. Nothing here waits, and nothing raises."""

    def answered(self, status: int, headers: Mapping[str, str]) -> None: ...

    def came(self, data: bytes) -> None:
        """A portion of the answer; empty at its end."""
        ...

    def ended(self, error: BaseException | None = None) -> None:
        """Nothing more comes. What is told first counts: a connection is let go of after its error too."""
        ...


class Tap(Protocol):
    def sent(self, sending: Sending) -> Exchange: ...


async def post_through(tap: Tap, post: Post, sending: Sending) -> Source:
    """Send it, once, and let the tap hear of everything. Raises what `post` raises."""
    exchange = tap.sent(sending)
    try:
        source = await post(sending.url, sending.headers, sending.body)
    except BaseException as error:
        exchange.ended(error)
        raise
    exchange.answered(source.status, source.headers)
    return _Tapped(source, exchange)


class _Tapped:
    """A `Source`."""

    def __init__(self, source: Source, exchange: Exchange) -> None:
        self.status = source.status
        self.headers = source.headers
        self.fail = source.fail
        self._source = source
        self._exchange = exchange

    async def read(self) -> bytes:
        try:
            data = await self._source.read()
        except Exception as error:
            self._exchange.ended(error)
            raise
        self._exchange.came(data)
        return data

    def close(self) -> None:
        self._exchange.ended()
        self._source.close()
