"""Blocking work on files, in a few threads of its own."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

# A file system that hangs keeps as many threads busy, and none that others need.
AT_ONCE_MAX = 8
# How long a cancelled caller waits for its thread, so that nothing is written after the call has ended.
GRACE_SECONDS = 2.0


class Stopped(Exception):
    """Nobody waits for the result any more."""


class Stop:
    """Tells the work of a thread that its caller is gone. It is asked between two steps of the work."""

    def __init__(self) -> None:
        self._set = threading.Event()

    def set(self) -> None:
        self._set.set()

    def is_set(self) -> bool:
        return self._set.is_set()

    def check(self) -> None:
        if self._set.is_set():
            raise Stopped


class Threads:
    """`inline` does the work at once, in the loop: for simulations, which have no threads."""

    def __init__(self, *, inline: bool = False) -> None:
        self._pool = None if inline else ThreadPoolExecutor(AT_ONCE_MAX, thread_name_prefix="workspace")

    async def run(self, work: Callable[[Stop], T]) -> T:
        """What the work returns. A cancelled caller tells it to stop, and waits a moment for it."""
        stop = Stop()
        if self._pool is None:
            return work(stop)
        submitted = self._pool.submit(work, stop)
        future = asyncio.wrap_future(submitted)
        # Looked at even if no caller waits any more: asyncio logs failures that were never retrieved.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            stop.set()
            if not submitted.cancel():
                await asyncio.wait({future}, timeout=GRACE_SECONDS)
            raise

    def close(self) -> None:
        """No more work is taken. What runs is told nothing, and is not waited for."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
