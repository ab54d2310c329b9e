"""Where browsers reach this server: under which hosts, and which requests come from a page of ours (pure).

A browser adds its cookie to every request, whichever page has made it, and goes wherever a name leads. So a
request says which host it was meant for, and what it does with a cookie counts only if our page has sent it.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.api.serving.proxies.forwarded import NO_PROXIES, TrustedProxies

# What a browser says of a request by one of our pages, or by the person at its address bar.
OWN_SITES = frozenset({"same-origin", "none"})
# No page of others has these names, so programs on this machine may always use them.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Sites(Struct, frozen=True, kw_only=True):
    # Names without ports. None: any.
    hosts: frozenset[str] | None = None
    # `https://example.org`, or empty.
    public_origin: str = ""
    # Of pages of others that may call the API with a token.
    cors_origins: frozenset[str] = frozenset()
    # Of those that may show our page in a frame.
    embed_origins: frozenset[str] = frozenset()
    proxies: TrustedProxies = NO_PROXIES

    def serves(self, headers: Headers) -> bool:
        return self.hosts is None or name_of(headers.get("host", "")) in self.hosts

    def is_secure(self, scope: Scope, headers: Headers) -> bool:
        """Whether the browser came over HTTPS, as far as the settings or a trusted proxy tell."""
        is_public = self.public_origin.startswith("https://") and self.public_origin in (
            f"https://{headers.get('host', '').lower()}",
            headers.get("origin", "").lower(),
        )
        return is_public or self.proxies.is_https(scope, headers)

    def is_foreign(self, headers: Headers) -> bool:
        """Whether a page of another site has made this request. One without a browser is not foreign."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        return (site is not None and site not in OWN_SITES) or (
            origin is not None and not self._is_ours(origin.lower(), headers.get("host", "").lower())
        )

    def may_call(self, headers: Headers) -> bool:
        """Whether the page, if a page has made it, may do so with a token."""
        return headers.get("origin", "").lower() in self.cors_origins or not self.is_foreign(headers)

    def is_own(self, headers: Headers) -> bool:
        """Whether a page of ours has made it, and a browser says so."""
        tells = "sec-fetch-site" in headers or "origin" in headers
        return tells and not self.is_foreign(headers)

    def _is_ours(self, origin: str, host: str) -> bool:
        if self.public_origin and (origin == self.public_origin or self.public_origin.endswith(f"//{host}")):
            return origin == self.public_origin
        # We speak HTTP; a proxy before us may speak HTTPS.
        return origin in (f"http://{host}", f"https://{host}")


def sites_at(
    *,
    listen: str,
    public_url: str | None,
    allowed_hosts: Iterable[str],
    cors_origins: Iterable[str] = (),
    embed_origins: Iterable[str] = (),
    proxies: TrustedProxies = NO_PROXIES,
) -> Sites:
    """The first that is set counts: the allowed hosts, the public address, the loopback address.

    A server that listens to other machines, and was told none of these, takes any host.
    """
    origin = ""
    if public_url:
        parts = urlsplit(public_url.lower())
        origin = f"{parts.scheme}://{parts.netloc}"
    named = {name_of(host) for host in allowed_hosts} or (
        {name_of(urlsplit(origin).netloc)} if origin else set()
    )
    any_host = not named and not is_loopback(listen)
    return Sites(
        hosts=None if any_host else LOOPBACK | named | {name_of(_written(listen))},
        public_origin=origin,
        cors_origins=frozenset(cors_origins),
        embed_origins=frozenset(embed_origins),
        proxies=proxies,
    )


def is_loopback(listen: str) -> bool:
    return _written(listen) in LOOPBACK or listen.startswith("127.")


def name_of(host: str) -> str:
    """Without its port, its last dot, and capitals."""
    name = host.lower()
    if not name.endswith("]"):
        before, colon, port = name.rpartition(":")
        name = before if colon and port.isdecimal() else name
    return name.rstrip(".")


def _written(listen: str) -> str:
    """As it is in an address."""
    return f"[{listen}]" if ":" in listen else listen.lower()
