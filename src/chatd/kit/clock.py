"""Time as we are told it: the real clock here, one that tests move in `tests/`.

There are two of them. The clock on the wall is for moments that people read and other processes compare; it
can be set, also back. Code that measures how long something takes uses the other one, which only goes on.
"""

import asyncio
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    def now_micros(self) -> int:
        """Microseconds since 1970, as the clock on the wall says."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment, for durations and deadlines of this process."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let this much time pass; at least, let others run."""
        ...


class SystemClock:
    def now_micros(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def rfc3339(micros: int) -> str:
    """A moment as people and browsers read it."""
    seconds, micros = divmod(micros, 1_000_000)
    return f"{_second(seconds)}.{micros:06d}Z"


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    """Formatting is slow, and most moments are of the same few seconds."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
