"""Work that blocks and that many wait for: done once, in a thread."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """The value of a blocking function. A failure is told to everyone who waits, and is not kept.

    A cancelled caller stops waiting. The thread cannot be stopped; what it brings is there for the next.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._pending: asyncio.Future[T] | None = None
        self._value: tuple[T] | None = None

    async def value(self) -> T:
        if self._value is not None:
            return self._value[0]
        if self._pending is None:
            self._pending = asyncio.get_running_loop().run_in_executor(None, self._work)
            self._pending.add_done_callback(self._done)
        return await asyncio.shield(self._pending)

    def forget(self, value: T) -> None:
        """It is of no use any more, unless it has been replaced already."""
        if self._value is not None and self._value[0] is value:
            self._value = None

    def _done(self, pending: asyncio.Future[T]) -> None:
        self._pending = None
        # Looked at even if no caller waits any more: asyncio logs failures that were never retrieved.
        if not pending.cancelled() and pending.exception() is None:
            self._value = (pending.result(),)
