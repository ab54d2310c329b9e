"""How many requests one user may make: a bucket of tokens for each, in memory and bounded."""

import math
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from chatd.api.failures import TooManyRequests

# The user whose last request is oldest is forgotten first, and begins again with a full bucket.
USERS_MAX = 10_000

_MINUTE_SECONDS = 60.0


def alone() -> int:
    return 1


class _Bucket(Struct):
    tokens: float
    filled_at: float


class Rate:
    def __init__(
        self,
        now_seconds: Callable[[], float],
        *,
        per_minute: int,
        in_a_row_max: int | None = None,
        users_max: int = USERS_MAX,
        advice: str = "To follow a chat, watch its stream.",
        servers: Callable[[], int] = alone,
    ) -> None:
        """With `per_minute` 0 there is no limit. A full bucket is a minute's, or less: `in_a_row_max`.

        Each of several servers counts for itself, so a request costs as many tokens as there are servers.
        """
        self._servers = servers
        self._advice = advice
        self._now = now_seconds
        self._per_minute = per_minute
        self._full = per_minute if in_a_row_max is None else min(per_minute, in_a_row_max)
        self._users_max = users_max
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, user_id: str) -> None:
        """Count one request. Raises TooManyRequests when the bucket is empty."""
        if not self._per_minute:
            return
        bucket = self._filled(user_id)
        price = min(self._servers(), self._full)
        if bucket.tokens < price:
            seconds = (price - bucket.tokens) * _MINUTE_SECONDS / self._per_minute
            raise TooManyRequests(self._per_minute, max(1, math.ceil(seconds)), self._advice)
        bucket.tokens -= price

    def _filled(self, user_id: str) -> _Bucket:
        now = self._now()
        bucket = self._buckets.setdefault(user_id, _Bucket(self._full, now))
        self._buckets.move_to_end(user_id)
        if len(self._buckets) > self._users_max:
            self._buckets.popitem(last=False)
        gained = (now - bucket.filled_at) * self._per_minute / _MINUTE_SECONDS
        bucket.tokens = min(self._full, bucket.tokens + gained)
        bucket.filled_at = now
        return bucket
