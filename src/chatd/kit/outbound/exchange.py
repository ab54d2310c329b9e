"""Requests to servers where people sign in: bounded, not redirected, and to no forbidden address.

Each has a connection of its own: they are rare, and none is kept that could be used for another user.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chatd import __version__
from chatd.kit.lazily import lazily
from chatd.kit.outbound import body
from chatd.kit.outbound.reach import Reach

if TYPE_CHECKING:
    import aiohttp
    import yarl

    from chatd.kit.outbound import connector
else:
    aiohttp, yarl = lazily("aiohttp"), lazily("yarl")
    connector = lazily("chatd.kit.outbound.connector")

TOTAL_SECONDS = 10.0
# Metadata of large providers has some 20 KiB.
BODY_BYTES_MAX = 128 * 1024
HEADER_BYTES_MAX = 16 * 1024

PRIVATE = "the address is in a private network"


class HttpAnswer(Struct, frozen=True, kw_only=True):
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
    ) -> HttpAnswer:
        """One request, whose redirect is an answer like any other.

        `trusted`: an administrator has named this very address, so it may be a private one. Raises NoAnswer.
        """
        guard = connector.Guard(self._reach, trusted=trusted)
        async with aiohttp.ClientSession(
            connector=guard.connector(),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS),
            # It would unpack a piece as it comes, of which each may become a thousand times as much.
            auto_decompress=False,
            max_line_size=HEADER_BYTES_MAX,
            max_field_size=HEADER_BYTES_MAX,
            headers={
                "Accept": "application/json",
                "Accept-Encoding": body.ACCEPTED,
                "User-Agent": f"chatd/{__version__}",
            },
        ) as session:
            try:
                async with session.request(
                    method, yarl.URL(url), headers=headers, data=form, json=json, allow_redirects=False
                ) as response:
                    return await _read(response)
            except body.BadEncoding:
                raise NoAnswer("the answer is packed in a way that cannot be unpacked") from None
            except TimeoutError:
                raise NoAnswer(f"there was no answer within {TOTAL_SECONDS:g} seconds") from None
            except (aiohttp.ClientError, OSError, ValueError) as error:
                raise NoAnswer(PRIVATE if guard.has_refused else _words(error)) from None


async def _read(response: "aiohttp.ClientResponse") -> HttpAnswer:
    # One more than is taken, so that it is known that there was more.
    taken = body.Body(response.headers.get("Content-Encoding", ""), BODY_BYTES_MAX + 1)
    while piece := await response.content.readany():
        taken.take(piece)
        if taken.is_full:
            raise NoAnswer(f"the answer has more than {BODY_BYTES_MAX // 1024} KiB")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpAnswer(status=response.status, headers=headers, body=taken.data)


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
