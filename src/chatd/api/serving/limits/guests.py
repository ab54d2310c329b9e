"""What guests may hold at once. Nobody knows who they are, and those who are known must not notice them."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from chatd.accounts.sharing.openings import Openings
from chatd.api.failures import Busy, TooMuchAtOnce
from chatd.api.serving.limits.admission import HeldBytes, RequestLimits

# Streams that are open at once, on this server.
STREAMS_PER_ADDRESS_MAX = 10
STREAMS_PER_LINK_MAX = 100
STREAMS_MAX = 500
# Of what all requests may hold in memory, what answers to guests may: one part of so many.
HELD_PARTS = 4


class GuestStreams:
    def __init__(self) -> None:
        self._by_address: Counter[str] = Counter()
        self._by_link: Counter[str] = Counter()

    @contextmanager
    def opened(self, link_id: str, network: str) -> Iterator[None]:
        """Raises TooMuchAtOnce or Busy."""
        if self._by_address[network] >= STREAMS_PER_ADDRESS_MAX:
            raise TooMuchAtOnce(
                f"{STREAMS_PER_ADDRESS_MAX} streams of guests are open from your address already.",
                limit=STREAMS_PER_ADDRESS_MAX,
            )
        if self._by_link[link_id] >= STREAMS_PER_LINK_MAX or self._by_link.total() >= STREAMS_MAX:
            raise Busy("As many guests watch as there may be at once.")
        self._by_address[network] += 1
        self._by_link[link_id] += 1
        try:
            yield
        finally:
            for counts, name in ((self._by_address, network), (self._by_link, link_id)):
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]


class GuestRoom(Struct, frozen=True):
    """What there is for guests, apart from what others have."""

    streams: GuestStreams
    # Bytes of answers that wait to be taken.
    held: HeldBytes
    openings: Openings


def guest_room(limits: RequestLimits, openings: Openings) -> GuestRoom:
    held = HeldBytes(
        all_max=limits.held_bytes_max // HELD_PARTS,
        per_user_max=limits.held_bytes_per_user_max // HELD_PARTS,
    )
    return GuestRoom(GuestStreams(), held, openings)
