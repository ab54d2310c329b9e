"""How many requests a caller may make: buckets of tokens, in memory and bounded.

Each of several servers counts for itself, and grants its share of the limit, rounded up.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable

from msgspec import Struct

from chatd.api.failures import TooManyRequests
from chatd.domain.people.rates import Limit

# The bucket that was used least recently is forgotten first, and begins again full.
BUCKETS_MAX = 10_000

_MINUTE_SECONDS = 60.0


def alone() -> int:
    return 1


class Left(Struct, frozen=True, order=True):
    """What this server still takes of a caller. The smaller one is the one that will be in the way."""

    remaining: int
    # Until the bucket is full again.
    reset_seconds: int
    limit: int

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        return [
            (b"ratelimit-limit", b"%d" % self.limit),
            (b"ratelimit-remaining", b"%d" % self.remaining),
            (b"ratelimit-reset", b"%d" % self.reset_seconds),
        ]


class Tally(Struct):
    """What the caller of one request has left, of whatever it was counted among."""

    left: Left | None = None

    def note(self, left: Left) -> None:
        self.left = left if self.left is None else min(self.left, left)

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        return self.left.headers if self.left is not None else []


class _Bucket(Struct):
    tokens: float
    # How many it holds at most: a share, which changes with the number of servers.
    full: int
    filled_at: float


class Rate:
    """Buckets of one kind of request."""

    def __init__(
        self,
        now_seconds: Callable[[], float],
        *,
        what: str = "requests",
        in_a_row_max: int | None = None,
        buckets_max: int = BUCKETS_MAX,
        advice: str = "To follow a chat, watch its stream.",
        servers: Callable[[], int] = alone,
    ) -> None:
        """A full bucket is a minute's, or less: `in_a_row_max`."""
        self._servers = servers
        self._what = what
        self._advice = advice
        self._now = now_seconds
        self._in_a_row_max = in_a_row_max
        self._buckets_max = buckets_max
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, limits: Iterable[Limit], tally: Tally) -> None:
        """Count one in each of these buckets, or in none: then TooManyRequests is raised."""
        filled = [(self._filled(limit), limit) for limit in limits if limit.per_minute]
        empty = next((each for each in filled if each[0].tokens < 1), None)
        if empty is None:
            for bucket, _ in filled:
                bucket.tokens -= 1
        for bucket, limit in filled:
            tally.note(self._left(bucket, limit))
        if empty is not None:
            bucket, limit = empty
            seconds = math.ceil((1 - bucket.tokens) / self._per_second(limit))
            raise TooManyRequests(self._what, limit.per_minute, max(1, seconds), self._advice)

    def _filled(self, limit: Limit) -> _Bucket:
        """The bucket as it is now."""
        now = self._now()
        full = self._share(
            limit.per_minute if self._in_a_row_max is None else min(limit.per_minute, self._in_a_row_max)
        )
        bucket = self._buckets.setdefault(limit.holder, _Bucket(full, full, now))
        self._buckets.move_to_end(limit.holder)
        if len(self._buckets) > self._buckets_max:
            self._buckets.popitem(last=False)
        if bucket.full != full:
            bucket.tokens, bucket.full = bucket.tokens * full / bucket.full, full
        bucket.tokens = min(full, bucket.tokens + (now - bucket.filled_at) * self._per_second(limit))
        bucket.filled_at = now
        return bucket

    def _share(self, count: int) -> int:
        return -(-count // max(1, self._servers()))

    def _per_second(self, limit: Limit) -> float:
        return self._share(limit.per_minute) / _MINUTE_SECONDS

    def _left(self, bucket: _Bucket, limit: Limit) -> Left:
        return Left(
            remaining=int(bucket.tokens),
            reset_seconds=math.ceil((bucket.full - bucket.tokens) / self._per_second(limit)),
            limit=bucket.full,
        )
