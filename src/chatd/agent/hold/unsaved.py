"""Holding what was paid for until the database takes it.

A reply and a tool's result exist only in memory until they are committed. A database that is away is asked
again as long as it takes: for an hour, within a total of bytes for the whole process. Other errors may be
mistakes of ours, which waiting does not mend; they get a few tries.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from chatd.errors import Unavailable
from chatd.kit.concurrency.backoff import backoff_seconds

# Of one write while the database is away. After that the work is given up, and done again when it is back.
UNSAVED_SECONDS_MAX = 3600.0
# When the process is about to end: what is held has this long, counted from then.
LEAVING_SECONDS_MAX = 10.0
# Of all writes of this process that wait for the database, as they are stored.
UNSAVED_BYTES_MAX = 256 * 1024 * 1024
# Of one write that fails for another reason than that the database is away.
TRIES_MAX = 8
FIRST_SECONDS = 0.1
LONGEST_SECONDS = 5.0


class Unsaved:
    """How many bytes this process holds for its chats, because the database did not take them yet."""

    def __init__(self, bytes_max: int = UNSAVED_BYTES_MAX) -> None:
        self._free = bytes_max

    def has_room(self, size: int) -> bool:
        return size <= self._free

    @contextmanager
    def room(self, size: int) -> Iterator[None]:
        self._free -= size
        try:
            yield
        finally:
            self._free += size


class Tries:
    """The tries of one write, and whether it deserves another one."""

    def __init__(self) -> None:
        self._began = asyncio.get_running_loop().time()
        self._failed = 0
        self._unexpected = 0

    def pause_after(self, error: Exception, leaving_since: float | None) -> float | None:
        """How many seconds to wait before the next try; None: there is no other one."""
        self._failed += 1
        away = isinstance(error, Unavailable)
        self._unexpected += not away
        if self._unexpected >= TRIES_MAX or (away and self._is_over(leaving_since)):
            return None
        return backoff_seconds(self._failed, first_seconds=FIRST_SECONDS, longest_seconds=LONGEST_SECONDS)

    @property
    def is_first(self) -> bool:
        return self._failed == 1

    @property
    def seconds(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    def _is_over(self, leaving_since: float | None) -> bool:
        now = asyncio.get_running_loop().time()
        if leaving_since is not None and now - leaving_since >= LEAVING_SECONDS_MAX:
            return True
        return now - self._began >= UNSAVED_SECONDS_MAX
