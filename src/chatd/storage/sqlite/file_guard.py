"""Notices that the path of an open database leads to another file, or to none.

SQLite goes on with the file that it has open. Whatever is written there then is gone with the process, so
nothing more is accepted. Reads go on: what is there can still be exported.
"""

import time
from collections.abc import Callable
from pathlib import Path

from chatd.storage.sqlite.failures import SqliteUnavailable

# How often the path is looked at while transactions come in; a look takes a few microseconds.
LOOK_SECONDS = 1.0

KIND = "FILE_LOST"


class FileGuard:
    def __init__(self, path: Path, now_seconds: Callable[[], float] = time.monotonic) -> None:
        self._path = path.absolute()
        self._now_seconds = now_seconds
        self._opened = _identity(self._path)
        self._looked_at = now_seconds()
        self._is_lost = False

    def check(self) -> None:
        """Raises SqliteUnavailable when the file is not the one that was opened."""
        now = self._now_seconds()
        # One that was lost is looked for each time: it may be put back.
        if self._is_lost or now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._is_lost = _identity(self._path) != self._opened
        if self._is_lost:
            raise SqliteUnavailable(
                KIND,
                f"its file {self._path} was removed or replaced while the server runs. "
                "Put it back, or restart the server to use what is there now",
            )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
