"""A time in which the database cannot be used: logged when it begins and when it is over.

Every request fails meanwhile. A line for each would bury the one that says why.
"""

import logging
import time
from collections.abc import Callable

import structlog
from prometheus_client import Counter

log = structlog.get_logger()

# A database that fails now and then is not announced more often than this, for each kind of failure.
SILENCE_SECONDS = 60.0
# A disk that is full still takes what is small. So the last failure counts for a while, whatever succeeds.
RECENT_SECONDS = 5.0


FAILURES = Counter(
    "chatd_database_failures",
    "Transactions that failed because the database could not be used. `grave` are those that an operator has "
    "to do something about, like a full disk; `passing` the others.",
    ["kind"],
)
for _kind in ("grave", "passing"):
    # None is a number too.
    FAILURES.labels(_kind)


class Outage:
    def __init__(self, now_seconds: Callable[[], float] = time.monotonic) -> None:
        self._now_seconds = now_seconds
        self._failures = 0
        self._is_announced = False
        # When each kind was logged. There are as many as there are kinds of errors.
        self._logged_at: dict[str, float] = {}
        self._grave: tuple[float, str] | None = None

    @property
    def goes_on(self) -> bool:
        return self._failures > 0

    @property
    def recent_reason(self) -> str | None:
        """Why transactions failed just now, if an operator has to act on it."""
        if self._grave is None or self._now_seconds() - self._grave[0] >= RECENT_SECONDS:
            return None
        return self._grave[1]

    def note_failure(self, kind: str, words: str, *, level: int) -> None:
        """With the level ERROR an operator has to act; with WARNING it is likely to pass by itself."""
        self._failures += 1
        FAILURES.labels("grave" if level >= logging.ERROR else "passing").inc()
        now = self._now_seconds()
        if level >= logging.ERROR:
            self._grave = now, words
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
