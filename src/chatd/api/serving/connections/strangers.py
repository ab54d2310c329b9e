"""Connections on which nobody has shown yet who they are: so many, and then those who have most make room.

A connection costs its sender nothing, and us a file. Nobody is turned away: when there are too many, some of
the address end that has most of them, those that have been idle and unknown for longest. So one who opens
thousands stands in their own way. A caller whose token was found is not counted any more.
"""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Protocol

from chatd.kit.networks import Network, address_in, is_in, network_of

# Half of the connections that a server takes: the others are for those who are known.
STRANGERS_MAX = 5_000
# How many make room at once: it takes a look at all addresses.
LEAVE_AT_ONCE = 50

_SCOPE_KEY = "chatd.known"


class Transport(Protocol):
    def abort(self) -> None: ...


class Connection(Protocol):
    @property
    def transport(self) -> Transport: ...

    @property
    def is_waited_for(self) -> bool:
        """Whether it has sent a request that is not answered yet."""
        ...


class Strangers:
    def __init__(
        self,
        *,
        trusted: tuple[Network, ...] = (),
        strangers_max: int = STRANGERS_MAX,
        leave_at_once: int = LEAVE_AT_ONCE,
    ) -> None:
        """`trusted` are proxies: what comes from there is many people's."""
        self._trusted = trusted
        self._strangers_max = strangers_max
        self._leave_at_once = leave_at_once
        # The oldest first.
        self._by_network: dict[str, dict[Connection, None]] = {}
        self._networks: dict[Connection, str] = {}

    def __len__(self) -> int:
        return len(self._networks)

    def come(self, connection: Connection, peer: str) -> None:
        """A new one. If it is one too many, others are ended."""
        if is_in(address_in(peer), self._trusted):
            return
        if len(self._networks) >= self._strangers_max:
            self._make_room()
        network = network_of(peer)
        self._by_network.setdefault(network, {})[connection] = None
        self._networks[connection] = network

    def _make_room(self) -> None:
        most = max(self._by_network.values(), key=len)
        # Who waits for an answer leaves last.
        oldest = sorted(most, key=lambda each: each.is_waited_for)
        for leaving in oldest[: self._leave_at_once]:
            self.leave(leaving)
            leaving.transport.abort()

    def leave(self, connection: Connection) -> None:
        """It is over, or known whose it is."""
        network = self._networks.pop(connection, None)
        if network is not None:
            others = self._by_network[network]
            del others[connection]
            if not others:
                del self._by_network[network]


def with_known(scope: MutableMapping[str, Any], known: Callable[[], None]) -> None:
    """`known` is called when it is known who has made the request."""
    scope[_SCOPE_KEY] = known


def without_known(scope: MutableMapping[str, Any]) -> None:
    scope.pop(_SCOPE_KEY, None)


def is_known(scope: Mapping[str, Any]) -> None:
    """Who has made the request. A connection that was upgraded, or of a test, is not counted."""
    known: Callable[[], None] | None = scope.get(_SCOPE_KEY)
    if known is not None:
        known()
