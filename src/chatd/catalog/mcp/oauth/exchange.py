"""Requests to authorization servers: bounded, not redirected, and to no address that may not be called.

Each has a connection of its own: they are rare, and none is kept that could be used for another user.
"""

import socket
from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from msgspec import Struct
from yarl import URL

from chatd import __version__
from chatd.catalog.mcp.reach import Reach

TOTAL_SECONDS = 10.0
# Metadata of large providers has some 20 KiB.
BODY_BYTES_MAX = 128 * 1024
HEADER_BYTES_MAX = 16 * 1024


class Answer(Struct, frozen=True, kw_only=True):
    status: int
    # Names in lower case.
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_well(self) -> bool:
        return self.status in range(200, 300)


class NoAnswer(Exception):
    """In words that end a sentence: what stood in the way. No secret, no address and no content is in it."""


class Exchange:
    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def ask(
        self,
        method: str,
        url: str,
        *,
        trusted: bool = False,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
    ) -> Answer:
        """One request, whose redirect is an answer like any other.

        `trusted`: an administrator has named this very address, so it may be a private one. Raises NoAnswer.
        """
        guard = _Guard(self._reach, trusted=trusted)
        connector = aiohttp.TCPConnector(
            resolver=guard, socket_factory=guard.socket_to, use_dns_cache=False, force_close=True
        )
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS),
            max_line_size=HEADER_BYTES_MAX,
            max_field_size=HEADER_BYTES_MAX,
            headers={"Accept": "application/json", "User-Agent": f"chatd/{__version__}"},
        ) as session:
            try:
                async with session.request(
                    method, URL(url), headers=headers, data=form, json=json, allow_redirects=False
                ) as response:
                    return await _read(response)
            except TimeoutError:
                raise NoAnswer(f"there was no answer within {TOTAL_SECONDS:g} seconds") from None
            except (aiohttp.ClientError, OSError, ValueError) as error:
                raise NoAnswer(guard.said or _words(error)) from None


async def _read(response: aiohttp.ClientResponse) -> Answer:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > BODY_BYTES_MAX:
            raise NoAnswer(f"the answer has more than {BODY_BYTES_MAX // 1024} KiB")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status=response.status, headers=headers, body=bytes(body))


def _words(error: Exception) -> str:
    """Without the words of the error, in which there may be anything."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the host cannot be found"
        case aiohttp.ClientSSLError():
            return "no secure connection could be made"
        case aiohttp.ClientConnectorError():
            return "the host cannot be reached"
        case _:
            return f"the connection failed ({type(error).__name__})"


class _Guard(AbstractResolver):
    """Looks at the address of each connection before it is made, however it was found."""

    def __init__(self, reach: Reach, *, trusted: bool) -> None:
        self._reach = reach
        self._trusted = trusted
        self.said: str | None = None

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - all are tried
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._reach.resolve(host, port)
        ]

    async def close(self) -> None:
        pass

    def socket_to(self, found: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = found
        if not self._trusted and not self._reach.may_call(str(address[0])):
            self.said = "the address is in a private network"
            raise OSError(self.said)
        return socket.socket(family, kind, protocol)
