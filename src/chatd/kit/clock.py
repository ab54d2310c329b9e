"""Time as we are told it: the real clock here, one that tests move in `tests/`."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now_micros(self) -> int:
        """Microseconds since 1970."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let this much time pass; at least, let others run."""
        ...


class SystemClock:
    def now_micros(self) -> int:
        return time.time_ns() // 1000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def rfc3339(micros: int) -> str:
    """A moment as people and browsers read it."""
    moment = datetime.fromtimestamp(micros // 1_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{micros % 1_000_000:06d}Z"
