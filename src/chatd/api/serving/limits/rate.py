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
    # How many it holds at most, and gains in a second: shares, for as many servers.
    full: int
    per_second: float
    per_minute: int
    servers: int
    filled_at: float

    @property
    def left(self) -> Left:
        return Left(int(self.tokens), math.ceil((self.full - self.tokens) / self.per_second), self.full)


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
        filled = [self._filled(limit) for limit in limits if limit.per_minute]
        empty = next((bucket for bucket in filled if bucket.tokens < 1), None)
        if empty is None:
            for bucket in filled:
                bucket.tokens -= 1
        for bucket in filled:
            tally.note(bucket.left)
        if empty is not None:
            raise self._too_many(empty)

    def check(self, limit: Limit) -> None:
        """Raises TooManyRequests if one more would be too many. It is counted later, or never."""
        if limit.per_minute and (bucket := self._filled(limit)).tokens < 1:
            raise self._too_many(bucket)

    def count(self, limit: Limit) -> None:
        """Also beyond the limit, if many were checked at once: all of them have to come back first."""
        if limit.per_minute:
            bucket = self._filled(limit)
            bucket.tokens = max(bucket.tokens - 1, -bucket.full)

    def _too_many(self, empty: _Bucket) -> TooManyRequests:
        seconds = math.ceil((1 - empty.tokens) / empty.per_second)
        return TooManyRequests(self._what, empty.per_minute, max(1, seconds), self._advice)

    def _filled(self, limit: Limit) -> _Bucket:
        """The bucket as it is now."""
        now, servers = self._now(), max(1, self._servers())
        bucket = self._buckets.get(limit.holder)
        if bucket is None:
            bucket = self._buckets[limit.holder] = _Bucket(0, 0, 0, 0, 0, now)
            if len(self._buckets) > self._buckets_max:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(limit.holder)
        if bucket.per_minute != limit.per_minute or bucket.servers != servers:
            self._size(bucket, limit.per_minute, servers)
        gained = (now - bucket.filled_at) * bucket.per_second
        bucket.tokens = min(bucket.full, bucket.tokens + gained)
        bucket.filled_at = now
        return bucket

    def _size(self, bucket: _Bucket, per_minute: int, servers: int) -> None:
        """One that was half full is half full afterwards; a new one is full."""
        share = -(-per_minute // servers)
        full = share if self._in_a_row_max is None else min(share, -(-self._in_a_row_max // servers))
        bucket.tokens = bucket.tokens * full / bucket.full if bucket.full else full
        bucket.full, bucket.per_second = full, share / _MINUTE_SECONDS
        bucket.per_minute, bucket.servers = per_minute, servers
