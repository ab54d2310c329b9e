"""A time in which the database cannot be used: logged when it begins and when it is over.

Every request fails meanwhile. A line for each would bury the one that says why.
"""

import time
from collections.abc import Callable

import structlog

log = structlog.get_logger()

# A database that fails now and then is not announced more often than this, for each kind of failure.
SILENCE_SECONDS = 60.0


class Outage:
    def __init__(self, now_seconds: Callable[[], float] = time.monotonic) -> None:
        self._now_seconds = now_seconds
        self._failures = 0
        self._is_announced = False
        # When each kind was logged. There are as many as there are kinds of errors.
        self._logged_at: dict[str, float] = {}

    @property
    def goes_on(self) -> bool:
        return self._failures > 0

    def note_failure(self, kind: str, words: str, *, level: int) -> None:
        self._failures += 1
        now = self._now_seconds()
        if now - self._logged_at.get(kind, -SILENCE_SECONDS) < SILENCE_SECONDS:
            return
        self._logged_at[kind] = now
        self._is_announced = True
        log.log(level, "database.unavailable", error=words, kind=kind)

    def note_success(self) -> None:
        """To be called while it goes on: at other times there is nothing to note."""
        if self._is_announced:
            log.info("database.available", failures=self._failures)
        self._failures = 0
        self._is_announced = False
