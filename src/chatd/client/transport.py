"""HTTP to one server: a request and its answer, or a stream of events."""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any, TypeVar

import aiohttp
import msgspec

from chatd.client.address import Address
from chatd.client.answers import ErrorBody
from chatd.client.errors import ApiError, Unreachable
from chatd.client.sse import Parser, SentEvent, TooLong
from chatd.kit.codec import Decoder, encode

T = TypeVar("T")

CONNECT_SECONDS = 10.0
# A larger body is sent in pieces.
WHOLE_BYTES_MAX = 1024 * 1024
REQUEST_SECONDS = 60.0
# The server waits for a model that is tried out as long as it says something, up to 5 minutes.
PROBE_SECONDS = 330.0
# The server gives up after 600 s, and 60 s.
RESTORE_SECONDS = 630.0
DIFF_SECONDS = 90.0
# A stream that says nothing at all for so long is dead, whatever the network pretends.
SILENCE_SECONDS = 90.0

Query = Mapping[str, object]

_error = Decoder(ErrorBody)
_DONE = frozenset({200, 201, 202, 204})


class Transport:
    def __init__(self, session: aiohttp.ClientSession, address: Address) -> None:
        self._session = session
        self._address = address

    async def ask(
        self,
        method: str,
        path: str,
        answer: type[T],
        *,
        query: Query | None = None,
        body: object = None,
        seconds: float = REQUEST_SECONDS,
    ) -> T:
        """Raises ApiError when the server refuses, Unreachable when it cannot be asked."""
        data = await self.ask_bytes(method, path, query=query, body=body, seconds=seconds)
        return self._decoded(data, answer)

    def _decoded(self, data: bytes, answer: type[T]) -> T:
        try:
            return Decoder(answer).decode(data)
        except msgspec.DecodeError as error:
            raise Unreachable(f"What answers at {self._address.url} is not chatd: {error}.") from error

    async def send(self, path: str, answer: type[T], data: bytes, headers: Mapping[str, str]) -> T:
        """Bytes as they are, which the headers describe."""
        answered = await self._ask("POST", path, None, data, headers)
        return self._decoded(answered, answer)

    async def ask_bytes(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        seconds: float = REQUEST_SECONDS,
    ) -> bytes:
        sent = None if body is None else encode(body)
        headers = {"Content-Type": "application/json"} if sent is not None else {}
        return await self._ask(method, path, query, sent, headers, seconds=seconds)

    async def _ask(
        self,
        method: str,
        path: str,
        query: Query | None,
        sent: bytes | None,
        headers: Mapping[str, str],
        *,
        seconds: float = REQUEST_SECONDS,
    ) -> bytes:
        try:
            # A redirect could take the token to another server.
            async with self._session.request(
                method,
                self._address.url + path,
                params=_words(query),
                data=_in_pieces(sent),
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=seconds, connect=CONNECT_SECONDS),
                allow_redirects=False,
            ) as response:
                data = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._unreachable(error) from error
        if response.status not in _DONE:
            raise _refusal(response.status, data)
        return data

    @asynccontextmanager
    async def stream(self, path: str, query: Query) -> AsyncIterator[AsyncIterator[SentEvent]]:
        """A stream of Server-Sent Events. Raises the same errors, also while it is read."""
        try:
            async with self._session.get(
                self._address.url + path,
                params=_words(query),
                headers={"Accept": "text/event-stream", "Cache-Control": "no-store"},
                timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_read=SILENCE_SECONDS),
                allow_redirects=False,
            ) as response:
                if response.status not in _DONE:
                    raise _refusal(response.status, await response.read())
                if response.content_type != "text/event-stream":
                    raise Unreachable(f"What answers at {self._address.url} does not stream events.")
                yield _events(response)
        except (aiohttp.ClientError, TimeoutError, OSError, TooLong) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> Unreachable:
        asked = self._address.url
        self._address.look_again()
        return Unreachable(f"Cannot reach chatd at {asked}: {_reason(error)}.")


def _in_pieces(sent: bytes | None) -> bytes | BytesIO | None:
    """A large body is not handed to the connection at once, which would hold everything else up."""
    return BytesIO(sent) if sent is not None and len(sent) > WHOLE_BYTES_MAX else sent


def _reason(error: Exception) -> str:
    """What the system says, without the words of the library around it."""
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(inner, OSError) and inner.errno is not None and inner.errno > 0:
        return os.strerror(inner.errno)
    return str(inner).rstrip(".") or type(error).__name__


async def _events(response: aiohttp.ClientResponse) -> AsyncGenerator[SentEvent, None]:
    parser = Parser()
    async for chunk in response.content.iter_any():
        for sent in parser.feed(chunk):
            yield sent


def _refusal(status: int, data: bytes) -> ApiError:
    try:
        detail = _error.decode(data).error
    except msgspec.DecodeError:
        # Not ours: a proxy in between, or another server.
        return ApiError("http_error", f"The server answered with status {status}.", status=status)
    return ApiError(detail.code, detail.message, status=status, hint=detail.hint, field=detail.field)


def _words(query: Query | None) -> list[tuple[str, str]]:
    """What is None is not asked; a list is asked several times."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        values: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, _word(each)) for each in values if each is not None]
    return pairs


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
