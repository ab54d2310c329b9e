"""Which addresses of pages are taken, and the one way to write each of them (pure).

What a rule looks at, what a person is shown and what is connected to must be the same host. So an address is
read once, into its parts, and nothing that two programs could read in two ways is taken.
"""

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

URL_CHARACTERS_MAX = 2000
HOST_CHARACTERS_MAX = 253
# Of the web. Any other port is that of another service, to which a request might mean something.
PORTS: Mapping[str, int] = {"http": 80, "https": 443}
FURTHER_PORTS = frozenset({8080, 8443})

# Blanks, control characters and backslashes: programs differ in what they make of them.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# All that may stand in a path or a query as it is; a percent sign begins an escape already.
_AS_IT_IS = "%/:?#[]@!$&'()*+,;=-._~"


class Policy(Struct, frozen=True, kw_only=True):
    """What is taken beyond pages of the internet on their usual ports.

    `private_sites` are those that an administrator allows although they are in a private network.
    """

    private_sites: frozenset[str] = frozenset()
    further_ports: frozenset[int] = FURTHER_PORTS

    def takes_port_of(self, address: "Address") -> bool:
        usual = PORTS[address.scheme]
        return address.port in (usual, *self.further_ports) or address.site in self.private_sites


class BadAddress(ValueError):
    """In words for a model: what is wrong with the address, and what is taken."""


class Address(Struct, frozen=True, kw_only=True):
    """A page: `host` in ASCII, with brackets around an IPv6 address, and `target` with its query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def site(self) -> str:
        """The host as rules name it: with its port, unless that is the usual one."""
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.site}{self.target}"


def address_of(url: str, policy: Policy) -> Address:
    """Raises BadAddress."""
    url = url.strip(" \t\r\n")
    if len(url) > URL_CHARACTERS_MAX:
        raise BadAddress(f"the URL has more than {URL_CHARACTERS_MAX} characters")
    _expect_unambiguous(url)
    try:
        parts = urlsplit(url)
        scheme, port = parts.scheme.lower(), parts.port
    except ValueError as error:
        raise BadAddress(f"this is no URL ({error})") from error
    if scheme not in PORTS:
        raise BadAddress("only URLs that begin with https:// or http:// can be fetched")
    if "@" in parts.netloc:
        raise BadAddress("a URL must not have a user name or a password in it")
    address = Address(
        scheme=scheme,
        host=_host(parts.hostname or "", is_bracketed="[" in parts.netloc),
        port=PORTS[scheme] if port is None else port,
        target=_target(parts.path, parts.query),
    )
    if not policy.takes_port_of(address):
        others = " or ".join(map(str, sorted(policy.further_ports)))
        raise BadAddress(f"port {port} is none of the web; leave it out, or use {others}")
    return address


def redirected(address: Address, location: str, policy: Policy) -> Address:
    """Where a redirect leads. Raises BadAddress."""
    # Servers write blanks and letters of other languages as they are.
    whole = location.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    written = whole.strip().replace(" ", "%20")
    # Before it is joined, which leaves out some of them.
    _expect_unambiguous(written)
    try:
        return address_of(urljoin(address.url, written), policy)
    except ValueError as error:
        raise BadAddress(str(error)) from error


def _expect_unambiguous(url: str) -> None:
    if _AMBIGUOUS.search(url):
        raise BadAddress("there are blanks, control characters or backslashes in the URL; write them as %20")


def _host(name: str, *, is_bracketed: bool) -> str:
    if is_bracketed:
        try:
            # Without a zone: that is the name of a network card of this machine.
            return f"[{ipaddress.IPv6Address(name.replace('%', '/')).compressed}]"
        except ValueError as error:
            raise BadAddress("what is in the brackets is no IPv6 address") from error
    host = _ascii(name).removesuffix(".")
    if not host or len(host) > HOST_CHARACTERS_MAX:
        raise BadAddress("the URL names no host")
    labels = host.split(".")
    if not all(map(_LABEL.fullmatch, labels)):
        raise BadAddress("the name of the host has characters that no host has")
    if _NUMBER.fullmatch(labels[-1]):
        return _number(host)
    return host


def _ascii(name: str) -> str:
    """As it is looked up: letters of other languages in their ASCII form."""
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise BadAddress("the name of the host has characters that no host has") from error


def _number(host: str) -> str:
    """One spelling: systems read 127.1, 0x7f000001 and 2130706433 as an address too."""
    try:
        return str(ipaddress.IPv4Address(host))
    except ValueError as error:
        raise BadAddress("an IP address is written as four decimal numbers, such as 192.0.2.1") from error


def _target(path: str, query: str) -> str:
    """Without a fragment, which is not sent."""
    return quote(path or "/", safe=_AS_IT_IS) + (f"?{quote(query, safe=_AS_IT_IS)}" if query else "")
