"""HTTP to servers: bounded bodies, no redirects elsewhere, and into private networks only where allowed."""

import ssl
from collections.abc import AsyncIterator

import httpx2

from chatd.catalog.mcp.server import McpServer
from chatd.kit.outbound.lookups import Lookups
from chatd.kit.outbound.reach import HostNotFound, PrivateAddress, Reach
from chatd.mcp.connections.session import McpError
from chatd.mcp.wire.meter import Meter, TooLarge

# Between two pieces of an answer. A stream that is open for what a server may say later is silent for long.
READ_SECONDS = 300.0

# Made when this module is imported, in a thread: reading the certificates of the machine takes a while.
_TRUSTED = ssl.create_default_context()

_EVENT_STREAM = "text/event-stream"
_BLANK_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")

REFUSED_ADDRESS = (
    "The address leads to this machine or into a private network, and that is not allowed for this server. "
    "An administrator can allow it."
)


class Exchange:
    """What was noticed of the answers of a server: the package tells only that there was an error."""

    def __init__(self) -> None:
        self.failed_with: int | None = None
        self.too_large: str | None = None


def http_client(server: McpServer, exchange: Exchange) -> httpx2.AsyncClient:
    # Without what the environment says: proxies and certificates of the operator are not for any address
    # that a user writes down.
    inner = httpx2.AsyncHTTPTransport(verify=_TRUSTED, trust_env=False)
    return httpx2.AsyncClient(
        transport=Guarded(inner, exchange, private_addresses=server.private_addresses),
        headers={**server.headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(server.connect_seconds, read=READ_SECONDS),
        trust_env=False,
        max_redirects=3,
    )


class Guarded(httpx2.AsyncBaseTransport):
    def __init__(
        self, inner: httpx2.AsyncBaseTransport, exchange: Exchange, *, private_addresses: bool
    ) -> None:
        self._inner = inner
        self._exchange = exchange
        self._private_addresses = private_addresses

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._send(request)
        if request.method == "POST":
            # Others need not be there: the stream of what a server may say later, the end of a session.
            self._exchange.failed_with = response.status_code if response.is_error else None
        if response.headers.get("content-encoding", "identity") != "identity":
            # Asked not to. A few kilobytes could become gigabytes.
            await response.aclose()
            raise McpError("The server compresses what it sends, although it was asked not to.")
        is_stream = response.headers.get("content-type", "").lower().startswith(_EVENT_STREAM)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = Metered(response.stream, self._exchange, is_stream=is_stream)
        return response

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        if self._private_addresses:
            return await self._inner.handle_async_request(request)
        failure: httpx2.TransportError | None = None
        for address in await public_addresses(request.url.host, request.url.port):
            try:
                return await self._inner.handle_async_request(_at(request, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        raise failure or httpx2.ConnectError("The name has no address.")

    async def aclose(self) -> None:
        await self._inner.aclose()


def _at(request: httpx2.Request, address: str) -> httpx2.Request:
    """To the address that was looked at, and not to what the name means a moment later."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )


# Users choose these names.
_REACH = Reach(private_hosts=False, resolve=Lookups())


async def public_addresses(host: str, port: int | None, reach: Reach = _REACH) -> list[str]:
    """The addresses of a host, of which none may be private. Raises McpError."""
    try:
        return await reach.callable_addresses(host, port or 443)
    except HostNotFound as error:
        raise McpError("The name of the server is not known.") from error
    except PrivateAddress as error:
        raise McpError(REFUSED_ADDRESS) from error


class Metered(httpx2.AsyncByteStream):
    """A body within the bounds of a message; of a stream of events each one."""

    def __init__(self, inner: httpx2.AsyncByteStream, exchange: Exchange, *, is_stream: bool) -> None:
        self._inner = inner
        self._exchange = exchange
        self._is_stream = is_stream
        self._meter = Meter()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            try:
                self._measure(chunk)
            except TooLarge as error:
                self._exchange.too_large = str(error)
                # As the package knows it: the one call fails, and not the whole connection.
                raise httpx2.StreamError(str(error)) from error
            yield chunk

    def _measure(self, chunk: bytes) -> None:
        """A blank line ends an event. What is between two of them in one chunk is small."""
        ends = [chunk.rfind(blank) for blank in _BLANK_LINES] if self._is_stream else [-1]
        if (last := max(ends)) < 0:
            self._meter.take(chunk)
            return
        self._meter.take(chunk[: min(chunk.find(blank) for blank in _BLANK_LINES if blank in chunk)])
        self._meter.begin_anew()
        self._meter.take(chunk[last:])

    async def aclose(self) -> None:
        await self._inner.aclose()
