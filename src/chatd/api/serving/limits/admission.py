"""Who may send something large now: how often, how much at once, and what all of them hold together.

Everything here is counted in memory and before a body is read. Only the event loop comes here, and
nothing waits: a caller who would have to is told to come back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Self

from msgspec import Struct, field

from chatd.api.failures import Busy, TooMuchAtOnce
from chatd.api.serving.limits.rate import Rate, Tally, alone
from chatd.domain.people.rates import USUAL_RATES, CallerKind, Limit, Rates

# Requests of a kind that are under way at once, for one user and for all of them.
UPLOADS_PER_USER_MAX = 2
UPLOADS_MAX = 8
# An import keeps the database and the event loop busy for longer than anything else.
IMPORTS_PER_USER_MAX = 1
IMPORTS_MAX = 2
# To read what a workspace tells its agents may take thousands of looks at its files.
REFRESHES_PER_USER_MAX = 2
REFRESHES_MAX = 4
# The server waits for others while it asks where users of an MCP server sign in.
CALLS_PER_USER_MAX = 2
CALLS_MAX = 16
CALLS_PER_MINUTE = 30
# Of the imports that a user may make in a minute. The others are spread over it.
IMPORTS_IN_A_ROW_MAX = 3


class RequestLimits(Struct, frozen=True, kw_only=True):
    """What is counted for each caller. 0 in a minute means: as many as they like."""

    # Files are large, and are looked into. Whole chats are too: as many of them may be imported.
    by_kind: Mapping[CallerKind, Rates] = field(default_factory=lambda: USUAL_RATES)
    # Of what a workspace tells its agents, and of what a model would be told.
    refreshes_per_minute: int = 12
    # Of MCP servers, when they are saved, tried out, and signed in at.
    calls_per_minute: int = CALLS_PER_MINUTE
    # From one address: who signs in is not known yet, and who has a public link never is.
    sign_ins_per_minute: int = 20
    guests_per_minute: int = 60
    # Of each: requests with a wrong token or cookie, and requests with none.
    wrong_tokens_per_minute: int = 300
    # Of the API. 600 kB without compression.
    descriptions_per_minute: int = 60
    # The bytes of bodies that were received, or that wait to be taken, and are in memory.
    held_bytes_max: int = 64 * 1024 * 1024
    # Two of the largest files. One user alone does not stand in the way of all others.
    held_bytes_per_user_max: int = 20 * 1024 * 1024
    # Streams that wait for a database that is away, at once. Whose they are is not known either. Behind a
    # proxy that is not trusted all have one address.
    waiting_max: int = 1000
    waiting_per_address_max: int = 100
    # How many servers share what a caller may do in a minute.
    servers: Callable[[], int] = alone


REQUEST_LIMITS = RequestLimits()


class Heavy(StrEnum):
    """What is more work than a message."""

    UPLOAD = "uploads"
    IMPORT = "imports"
    REFRESH = "refreshes"
    # The server calls others for the user: the address is theirs, or a server has told it.
    CALL = "calls to MCP servers"


class AtOnce:
    """How many requests of one kind are under way, from before their body is read until they are answered."""

    def __init__(self, kind: Heavy, *, rate: Rate, per_user_max: int, all_max: int) -> None:
        self._kind = kind
        self._rate = rate
        self._per_user_max = per_user_max
        self._all_max = all_max
        self._by_user: Counter[str] = Counter()

    @contextmanager
    def admitted(self, user_id: str, limits: Iterable[Limit], tally: Tally) -> Iterator[None]:
        """Raises TooManyRequests, TooMuchAtOnce or Busy."""
        if self._by_user[user_id] >= self._per_user_max:
            raise TooMuchAtOnce(
                f"{self._per_user_max} of your {self._kind} are under way already.", limit=self._per_user_max
            )
        if self._by_user.total() >= self._all_max:
            raise Busy(f"The server works on {self._all_max} {self._kind} already.")
        self._rate.take(limits, tally)
        self._by_user[user_id] += 1
        try:
            yield
        finally:
            _subtract(self._by_user, user_id, 1)


def at_once(limits: RequestLimits, now_seconds: Callable[[], float]) -> Mapping[Heavy, AtOnce]:
    """Each kind has a minute of its own."""
    at_once_max = {
        Heavy.UPLOAD: (UPLOADS_PER_USER_MAX, UPLOADS_MAX, None),
        Heavy.IMPORT: (IMPORTS_PER_USER_MAX, IMPORTS_MAX, IMPORTS_IN_A_ROW_MAX),
        Heavy.REFRESH: (REFRESHES_PER_USER_MAX, REFRESHES_MAX, None),
        Heavy.CALL: (CALLS_PER_USER_MAX, CALLS_MAX, None),
    }
    return {
        kind: AtOnce(
            kind,
            rate=Rate(now_seconds, what=kind, in_a_row_max=in_a_row_max, servers=limits.servers, advice=""),
            per_user_max=per_user_max,
            all_max=all_max,
        )
        for kind, (per_user_max, all_max, in_a_row_max) in at_once_max.items()
    }


class HeldBytes:
    """The memory that bodies may take, for each user and in all."""

    def __init__(self, *, all_max: int, per_user_max: int) -> None:
        self._all_max = all_max
        self._per_user_max = per_user_max
        self._all = 0
        self._by_user: Counter[str] = Counter()

    def hold(self, user_id: str) -> "Hold":
        return Hold(self, user_id)

    def add(self, user_id: str, size: int, *, already: int) -> None:
        """`already` is what the same request holds: a single one may be as large as its route allows."""
        held = self._by_user[user_id]
        if held > already and held + size > self._per_user_max:
            raise TooMuchAtOnce(
                f"Your requests hold more than {self._per_user_max // 2**20} MiB at once.",
                limit=self._per_user_max,
            )
        if self._all > already and self._all + size > self._all_max:
            raise Busy(f"The requests of all users hold more than {self._all_max // 2**20} MiB.")
        self._by_user[user_id] = held + size
        self._all += size

    def release(self, user_id: str, size: int) -> None:
        self._all -= size
        _subtract(self._by_user, user_id, size)


class Hold:
    """What one request holds, until its block ends."""

    def __init__(self, held: HeldBytes, user_id: str) -> None:
        self._held = held
        self._user_id = user_id
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._size:
            self._held.release(self._user_id, self._size)

    def add(self, size: int) -> None:
        """Raises TooMuchAtOnce or Busy; what was added before is still held."""
        self._held.add(self._user_id, size, already=self._size)
        self._size += size


def _subtract(counts: Counter[str], user_id: str, amount: int) -> None:
    counts[user_id] -= amount
    if not counts[user_id]:
        # Only users who hold something are remembered.
        del counts[user_id]
