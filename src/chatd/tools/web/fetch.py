"""One page over HTTP, for a model that names its address: within bounds, and from the internet alone.

Each request has a connection of its own, to an address that was looked at. No cookie, no key and no word of
where we come from is sent with it. Proxies of the environment are not used: a proxy looks names up itself,
and would lead where we may not go.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from prometheus_client import Counter

from chatd import __version__
from chatd.kit.lazily import lazily
from chatd.kit.outbound import body
from chatd.kit.outbound.public_address import is_numeric
from chatd.kit.outbound.reach import Reach
from chatd.tools.web.address import Address, BadAddress, Policy, redirected

if TYPE_CHECKING:
    import aiohttp
    import yarl

    from chatd.kit.outbound import connector
else:
    aiohttp, yarl = lazily("aiohttp"), lazily("yarl")
    connector = lazily("chatd.kit.outbound.connector")

USER_AGENT = f"chatd/{__version__} (an agent, for a person)"
ACCEPT = "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5"
# Of an answer; each line, and how many there may be.
HEADER_BYTES_MAX = 16 * 1024
HEADERS_MAX = 100
READ_BYTES = 64 * 1024
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ERROR = 400
# Names that no server of the internet has: of this machine, of the local link, of private networks.
_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa")

PRIVATE = (
    "{host} is this machine, or in a private network: such addresses are not fetched. "
    "An administrator can allow a host with the setting `fetch_private_hosts`."
)

# Whether this host may be asked as well.
MayFollow = Callable[[str], Awaitable[bool]]


class FetchLimits(Struct, frozen=True, kw_only=True):
    total_seconds: float = 60.0
    connect_seconds: float = 10.0
    # Between two pieces of an answer.
    silence_seconds: float = 15.0
    redirects_max: int = 5
    # Of a body as it is, unpacked. Of a longer one the beginning is read.
    bytes_max: int = 5 * 1024 * 1024


class Outcome(StrEnum):
    FETCHED = "fetched"
    NOT_ALLOWED = "not_allowed"
    REDIRECTED = "redirected"
    REFUSED_BY_SERVER = "refused_by_server"
    TIMED_OUT = "timed_out"
    FAILED = "failed"


FETCHES = Counter(
    "chatd_fetches",
    "Pages that `fetch_url` was to get, by what came of it. `not_allowed` are addresses of private networks, "
    "and what no request is made of; `redirected` are those that lead to another host, for which a person is "
    "asked first.",
    ["outcome"],
)
for _outcome in Outcome:
    # None is a number too.
    FETCHES.labels(_outcome)


class FetchError(Exception):
    """In words for a model: what stood in the way, and what to do."""

    def __init__(self, outcome: Outcome, words: str) -> None:
        super().__init__(words)
        self.outcome = outcome


class Fetched(Struct, frozen=True, kw_only=True):
    """What an address gave: `address` is the last one, and `sites` are those that were asked."""

    address: Address
    sites: tuple[str, ...]
    media_type: str
    charset: str | None
    data: bytes
    # There was more.
    is_cut: bool


class _Answer(Struct, frozen=True, kw_only=True):
    # Of a redirect.
    location: str | None = None
    media_type: str = ""
    charset: str | None = None
    data: bytes = b""
    is_cut: bool = False


class Fetcher:
    def __init__(
        self,
        *,
        reach: Reach,
        policy: Policy,
        limits: FetchLimits = FetchLimits(),  # noqa: B008 - a frozen value
    ) -> None:
        self._reach = reach
        self._policy = policy
        self._limits = limits

    def refusal(self, address: Address) -> str | None:
        """Why no connection to this host would be made, if that can be told without looking its name up.

        A look-up is a message to the owner of the name already: it waits until the host is allowed.
        """
        if address.site in self._policy.private_sites:
            return None
        name = address.host.strip("[]")
        is_local = any(name == each or name.endswith(f".{each}") for each in _LOCAL_NAMES)
        if is_local or (is_numeric(name) and not self._reach.may_call(name)):
            return PRIVATE.format(host=address.host)
        return None

    async def fetch(self, address: Address, may_follow: MayFollow) -> Fetched:
        """Raises FetchError."""
        try:
            async with asyncio.timeout(self._limits.total_seconds):
                found = await self._follow(address, may_follow)
        except TimeoutError:
            outcome = Outcome.TIMED_OUT
            error = FetchError(outcome, f"There was no whole answer within {self._limits.total_seconds:g} s.")
        except FetchError as failed:
            outcome, error = failed.outcome, failed
        else:
            FETCHES.labels(Outcome.FETCHED).inc()
            return found
        FETCHES.labels(outcome).inc()
        raise error

    async def _follow(self, address: Address, may_follow: MayFollow) -> Fetched:
        sites = [address.site]
        for _ in range(self._limits.redirects_max + 1):
            answer = await self._ask(address)
            if answer.location is None:
                return Fetched(
                    address=address,
                    sites=tuple(dict.fromkeys(sites)),
                    media_type=answer.media_type,
                    charset=answer.charset,
                    data=answer.data,
                    is_cut=answer.is_cut,
                )
            address = self._redirected(address, answer.location)
            if (why := self.refusal(address)) is not None:
                raise FetchError(Outcome.NOT_ALLOWED, why)
            if address.site not in sites and not await may_follow(address.site):
                raise FetchError(
                    Outcome.REDIRECTED,
                    f"The page has moved to another host: {address.url}. Fetch that address, if you want it.",
                )
            sites.append(address.site)
        raise FetchError(
            Outcome.FAILED,
            f"There were more than {self._limits.redirects_max} redirects, the last one to {address.url}.",
        )

    def _redirected(self, address: Address, location: str) -> Address:
        try:
            return redirected(address, location, self._policy)
        except BadAddress as error:
            words = f"{address.host} sends us on to an address that is not fetched: {error}."
            raise FetchError(Outcome.NOT_ALLOWED, words) from error

    async def _ask(self, address: Address) -> _Answer:
        limits = self._limits
        guard = connector.Guard(self._reach, trusted=address.site in self._policy.private_sites)
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=limits.connect_seconds, sock_read=limits.silence_seconds
        )
        async with aiohttp.ClientSession(
            connector=guard.connector(),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=timeout,
            auto_decompress=False,
            read_bufsize=READ_BYTES,
            max_line_size=HEADER_BYTES_MAX,
            max_field_size=HEADER_BYTES_MAX,
            max_headers=HEADERS_MAX,
            headers={"Accept": ACCEPT, "Accept-Encoding": body.ACCEPTED, "User-Agent": USER_AGENT},
        ) as session:
            try:
                async with session.get(
                    yarl.URL(address.url, encoded=True), allow_redirects=False
                ) as response:
                    return await self._read(response)
            except body.BadEncoding as error:
                words = f"{address.host} packs its answer in a way that cannot be unpacked."
                raise FetchError(Outcome.FAILED, words) from error
            except (aiohttp.ClientError, OSError, ValueError) as error:
                raise _failed(address, guard, error) from error

    async def _read(self, response: "aiohttp.ClientResponse") -> _Answer:
        location = response.headers.get("Location")
        if response.status in _REDIRECTS and location is not None:
            return _Answer(location=location)
        if response.status >= _ERROR:
            raise FetchError(
                Outcome.REFUSED_BY_SERVER,
                f"The server answered with the status {response.status}. Check the address, or do without.",
            )
        taken = body.Body(response.headers.get("Content-Encoding", ""), self._limits.bytes_max)
        while not taken.is_full and (piece := await response.content.readany()):
            taken.take(piece)
        media_type, _, parameters = response.headers.get("Content-Type", "").partition(";")
        charset = _CHARSET.search(parameters)
        return _Answer(
            media_type=media_type.strip().lower(),
            charset=charset.group(1) if charset is not None else None,
            data=taken.data,
            is_cut=taken.is_full,
        )


def _failed(address: Address, guard: "connector.Guard", error: Exception) -> FetchError:
    """Without the words of the error, in which there may be anything."""
    if guard.has_refused:
        return FetchError(Outcome.NOT_ALLOWED, PRIVATE.format(host=address.host))
    match error:
        case aiohttp.ClientConnectorDNSError():
            words = f"The host {address.host} cannot be found. Check how it is spelled."
        case TimeoutError():
            return FetchError(Outcome.TIMED_OUT, f"{address.host} did not answer in time.")
        case aiohttp.ClientSSLError():
            words = f"No secure connection to {address.host} could be made: its certificate is not trusted."
        case aiohttp.ClientConnectorError():
            words = f"{address.host} cannot be reached."
        case _:
            words = f"The answer of {address.host} broke off, or is no HTTP."
    return FetchError(Outcome.FAILED, words)
