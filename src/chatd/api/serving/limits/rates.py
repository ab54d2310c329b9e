"""What is counted of whom in a minute: by caller, and by address where it is not known who asks."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from enum import StrEnum

from chatd.api.serving.callers.auth import Caller
from chatd.api.serving.limits.admission import Heavy, RequestLimits
from chatd.api.serving.limits.rate import Rate, Tally
from chatd.api.serving.limits.streams import OpenStreams
from chatd.domain.people.rates import Counted, Limit, limits_of


class ByAddress(StrEnum):
    """What people do of whom we only know the address."""

    SIGN_IN = "sign-ins"
    # From an identity provider, with a code. Apart from the others: each who begins comes back once.
    RETURN = "returns from the identity provider"
    # With a public link.
    GUEST = "requests of guests"
    # Anyone may read it, and it is large.
    DESCRIPTION = "requests for the description of the API"


# What is counted in these words, and what to do instead. Uploads are among what is heavy.
_WORDS: Mapping[Counted, tuple[str, str]] = {
    Counted.REQUESTS: ("requests", "To follow a chat, watch its stream."),
    Counted.TURNS: ("requests that have an agent work", ""),
    Counted.STREAMS: ("streams opened", "Keep a stream open, and come back with its last cursor."),
}


class CallerRates:
    """The buckets of everybody."""

    def __init__(self, limits: RequestLimits, now_seconds: Callable[[], float]) -> None:
        self._table = limits.by_kind
        self._per_user = {
            Heavy.REFRESH: limits.refreshes_per_minute,
            Heavy.CALL: limits.calls_per_minute,
        }
        self._per_address = {
            ByAddress.SIGN_IN: limits.sign_ins_per_minute,
            ByAddress.RETURN: limits.sign_ins_per_minute,
            ByAddress.GUEST: limits.guests_per_minute,
            ByAddress.DESCRIPTION: limits.descriptions_per_minute,
        }
        self._by_counted = {
            counted: Rate(now_seconds, what=what, advice=advice, servers=limits.servers)
            for counted, (what, advice) in _WORDS.items()
        }
        self._by_address = {
            each: Rate(now_seconds, what=each, advice="", servers=limits.servers) for each in ByAddress
        }
        self._open_streams = OpenStreams()

    def take(self, counted: Counted, caller: Caller, tally: Tally) -> None:
        """Raises TooManyRequests."""
        self._by_counted[counted].take(self._limits(counted, caller), tally)

    def stream_open(self, caller: Caller) -> AbstractContextManager[None]:
        """For as long as it is. Raises TooMuchAtOnce."""
        return self._open_streams.opened(self._limits(Counted.STREAMS, caller))

    def take_of_address(self, what: ByAddress, network: str, tally: Tally) -> None:
        """The same for callers who are not known yet."""
        self._by_address[what].take((Limit(network, self._per_address[what]),), tally)

    def limits_of_heavy(self, kind: Heavy, caller: Caller) -> Iterable[Limit]:
        """As many chats may be imported as files uploaded; what else is heavy is the same for everybody."""
        if (per_minute := self._per_user.get(kind)) is not None:
            return (Limit(caller.user.id, per_minute),)
        return self._limits(Counted.UPLOADS, caller)

    def _limits(self, counted: Counted, caller: Caller) -> Iterable[Limit]:
        return limits_of(self._table, counted, caller.standing, caller.party)
