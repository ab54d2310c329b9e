"""HTTP to providers: one pool of connections for each way to one, shared by all chats.

Nothing is sent twice and no redirect is followed: the caller decides what happens next, and a key does not
travel to another host.

How an answer is read was measured (50 streams with 40 deltas of 130 bytes a second each, uvloop, µs CPU for
one delta, median of four rounds in random order):

    12.0  our own protocol over httptools, without pools, proxies, TLS and compression: the floor
    16.0  content.readchunk()
    16.4  content.readany(), which this file uses: it gives everything that is there at once
    17.7  the reader's buffer and waiter, taken in hand: nothing gained for touching what is private
    19.5  content.iter_any(), another coroutine for each delta
    20.5  content.readany() with aiohttp's sock_read, which moves a timer for each delta
    27.8  content.readany() in an asyncio.timeout() for each delta

So time is guarded from outside, with one timer for each answer (`timed_reader.py`).
"""

import asyncio
import io
import ssl
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from chatd.errors import ProviderError
from chatd.kit.lazily import lazily
from chatd.providers.transport.headers import lower_cased
from chatd.providers.transport.source import Post, Source

if TYPE_CHECKING:
    import aiohttp
    import yarl
    from aiohttp.client_proto import ResponseHandler
else:
    # A server without a model to call needs neither, and half of its start would be to import them.
    aiohttp, yarl = lazily("aiohttp"), lazily("yarl")

CONNECTIONS_MAX = 1000
# Load balancers let go of an idle connection after a minute; a request that is sent at that moment fails.
KEEP_ALIVE_SECONDS = 55.0
# Includes the wait for a free connection of a full pool.
CONNECT_SECONDS = 10.0
DNS_SECONDS = 60
# Gateways like to send long policies and many cookies.
HEADER_BYTES_MAX = 64 * 1024
READ_BYTES = 256 * 1024


def transport_errors() -> tuple[type[Exception], ...]:
    """What goes wrong between us and a provider. A broken TLS or a timeout is an OSError as well."""
    return aiohttp.ClientError, OSError


class Way(Struct, frozen=True, kw_only=True):
    """How a provider is reached: what must be the same for a connection to be shared."""

    provider_id: str
    proxy: str | None = None
    ca_file: str | None = None


class Pools:
    """Made inside the running loop. Leaving the block ends all connections."""

    def __init__(
        self, *, connections_max: int = CONNECTIONS_MAX, keep_alive_seconds: float = KEEP_ALIVE_SECONDS
    ) -> None:
        self._connections_max = connections_max
        self._keep_alive_seconds = keep_alive_seconds
        self._pools: dict[Way, _Pool] = {}
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def post_by(self, way: Way) -> Post:
        return partial(self._post, way)

    async def forget(self, provider_id: str, *, but: Way | None = None) -> None:
        """The provider is gone, or reached in another way. What it is saying, it may say to the end."""
        for way, pool in self._pools.items():
            if way.provider_id == provider_id:
                pool.retired = way != but
        await self._sweep()

    async def close(self) -> None:
        self._closed = True
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.close()

    async def _post(self, way: Way, url: str, headers: Mapping[str, str], body: bytes) -> Source:
        pool = self._pools.get(way)
        if pool is None or pool.retired:
            pool = await self._pool(way)
        pool.users += 1
        try:
            response = await pool.session.post(
                # As it is: a name within the path may be quoted, and what was signed is what is sent.
                yarl.URL(url, encoded=True),
                headers=headers,
                # A large body as bytes would be handed over in one go, while everyone waits.
                data=io.BytesIO(body),
                allow_redirects=False,
            )
        except BaseException:
            pool.users -= 1
            raise
        return _HttpSource(response, pool)

    async def _pool(self, way: Way) -> "_Pool":
        # Takes long enough to be noticed, once; as does reading certificates.
        await asyncio.to_thread(import_module, "aiohttp")
        context = await asyncio.to_thread(_trusting, way.ca_file) if way.ca_file else None
        assert not self._closed, "a model was called after the pools were closed"
        pool = self._pools.get(way)
        if pool is None:
            pool = self._pools[way] = _Pool(self._session(way, context))
        # Another call may make a third pool for the provider meanwhile; ours is in use already.
        pool.users += 1
        try:
            await self.forget(way.provider_id, but=way)
        finally:
            pool.users -= 1
        return pool

    def _session(self, way: Way, context: ssl.SSLContext | None) -> "aiohttp.ClientSession":
        connector = aiohttp.TCPConnector(
            limit=self._connections_max,
            keepalive_timeout=self._keep_alive_seconds,
            ttl_dns_cache=DNS_SECONDS,
            ssl=context if context is not None else True,
        )
        return aiohttp.ClientSession(
            connector=connector,
            proxy=way.proxy,
            # Cookies would carry something from one user's call to another's.
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_connect=CONNECT_SECONDS),
            read_bufsize=READ_BYTES,
            max_line_size=HEADER_BYTES_MAX,
            max_field_size=HEADER_BYTES_MAX,
        )

    async def _sweep(self) -> None:
        """Retired pools are closed when their last answer is over and something else is done here."""
        idle = [way for way, pool in self._pools.items() if pool.retired and not pool.users]
        for pool in [self._pools.pop(way) for way in idle]:
            await pool.close()


class _Pool:
    def __init__(self, session: "aiohttp.ClientSession") -> None:
        self.session = session
        self.retired = False
        self.users = 0
        self.answers: set[_HttpSource] = set()
        # Who reads from which connection at the moment. Idle ones are there too, without a reader.
        self._readers: dict[ResponseHandler, _HttpSource | None] = {}

    async def close(self) -> None:
        for answer in list(self.answers):
            # aiohttp would leave the reader waiting for ever.
            answer.fail(aiohttp.ClientConnectionError("The connections were closed"))
        await self.session.close()

    def reads(self, connection: "ResponseHandler", answer: "_HttpSource") -> None:
        """If the connection is lost before the answer has ended, its reader hears of it.

        aiohttp tells most readers, but not those of an answer whose chunks are malformed.
        """
        if connection not in self._readers:
            closed = connection.closed
            if closed is None:
                answer.lose()
                return
            closed.add_done_callback(partial(self._lost, connection))
        self._readers[connection] = answer

    def leaves(self, connection: "ResponseHandler", answer: "_HttpSource") -> None:
        if self._readers.get(connection) is answer:
            self._readers[connection] = None

    def _lost(self, connection: "ResponseHandler", closed: asyncio.Future[None]) -> None:
        # Looked at, or asyncio would log that it was not.
        closed.exception()
        answer = self._readers.pop(connection, None)
        if answer is not None:
            answer.lose()


class _HttpSource:
    """A `Source`."""

    def __init__(self, response: "aiohttp.ClientResponse", pool: _Pool) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = lower_cased(response.headers)
        self.read = response.content.readany
        self._response = response
        self._pool = pool
        pool.answers.add(self)
        # There is none any more where the whole answer is here already.
        connection = response.connection
        self._connection = connection.protocol if connection is not None else None
        if self._connection is not None:
            pool.reads(self._connection, self)

    def fail(self, error: Exception) -> None:
        self._response.content.set_exception(error)

    def lose(self) -> None:
        content = self._response.content
        if not content.is_eof() and content.exception() is None:
            self.fail(aiohttp.ClientPayloadError("The connection was lost"))

    def close(self) -> None:
        # Read to its end, it has given its connection back already.
        self._response.close()
        if self in self._pool.answers:
            self._pool.answers.remove(self)
            self._pool.users -= 1
            if self._connection is not None:
                self._pool.leaves(self._connection, self)


def phase_of(error: Exception) -> str:
    """How far a request had come that got no answer."""
    unreached = (
        aiohttp.ClientConnectorError,
        aiohttp.ConnectionTimeoutError,
        aiohttp.ClientProxyConnectionError,
    )
    return "connect" if isinstance(error, unreached) else "headers"


def _trusting(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ValueError) as error:
        raise ProviderError(
            "config",
            "This provider cannot be called. The file with its certificates cannot be read.",
            fault="ca_file",
            detail=f"{ca_file}: {getattr(error, 'strerror', None) or type(error).__name__}",
        ) from error
