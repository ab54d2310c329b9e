"""Where a request comes from, as proxies tell it that the settings name (pure).

Anybody can send `X-Forwarded-For`. Each proxy adds the address that it was called from at the right end, so
the entries are read from there, and the first one that is no trusted proxy's is the caller's.
"""

from functools import lru_cache

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.kit.networks import Address, Network, address_in, is_in

# Proxies one after another. What is further to the left is not looked at.
HOPS_MAX = 20
UNKNOWN = "unknown"
# Whose addresses are remembered as they are written.
PEERS_MAX = 1024


class TrustedProxies(Struct, frozen=True):
    networks: tuple[Network, ...] = ()

    def address_of(self, scope: Scope, headers: Headers) -> str:
        """The address of the caller; of the peer, if that is no trusted proxy."""
        peer = peer_of(scope)
        found = address_in(peer) if self.networks else None
        if not is_in(found, self.networks):
            return _written(peer)
        told = ",".join(headers.getlist("x-forwarded-for")).split(",")
        for entry in list(reversed(told))[:HOPS_MAX]:
            address = _address_in(entry)
            if address is None:
                # What stands further to the left may have been written by anybody.
                break
            found = address
            if not is_in(address, self.networks):
                break
        return str(found)

    def is_https(self, scope: Scope, headers: Headers) -> bool:
        """Whether a trusted proxy says that the browser came over HTTPS."""
        told = headers.getlist("x-forwarded-proto")
        believed = bool(told) and is_in(address_in(peer_of(scope)), self.networks)
        return believed and told[-1].rpartition(",")[2].strip().lower() == "https"


NO_PROXIES = TrustedProxies()


def peer_of(scope: Scope) -> str:
    """Who has made the connection."""
    address, *_ = scope.get("client") or (UNKNOWN,)
    return str(address)


@lru_cache(maxsize=PEERS_MAX)
def _written(peer: str) -> str:
    """In one way, however the connection tells it. Remembered: the next request is often the same peer's."""
    address = address_in(peer)
    return str(address) if address is not None else peer


def _address_in(entry: str) -> Address | None:
    """Some proxies write the port too."""
    text = entry.strip()
    if text.startswith("["):
        return address_in(text[1:].partition("]")[0])
    return address_in(text.partition(":")[0] if text.count(":") == 1 else text)
