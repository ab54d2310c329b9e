"""A bell: wakes the task that waits for it, and may be rung for many reasons."""

import asyncio
import time

# Between two wakings by `ring_for_one_of_many`: eyes do not see more pictures in a second than this gives.
MANY_SECONDS = 0.01


class Bell:
    """For one waiting task. Rings add up to one waking; the task looks for itself what is new.

    An `asyncio.Event` would do, for many who wait. Bells are rung for every word that is streamed, and one
    future costs half as much.
    """

    def __init__(self) -> None:
        self._rung = False
        self._over = False
        # When the first of the rings came that the task has not looked for yet; and when the first came of
        # those for which it looked last. By the monotonic clock, in seconds.
        self._rung_at = 0.0
        self.heard_at = 0.0
        self._waiting: asyncio.Future[None] | None = None
        # When the next of many may wake, and what will wake it if it came too early.
        self._next_of_many = 0.0
        self._later: asyncio.TimerHandle | None = None

    @property
    def over(self) -> bool:
        return self._over

    def ring(self) -> None:
        self._rung_at = self._rung_at or time.monotonic()
        self._rung = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def ring_for_one_of_many(self) -> None:
        """The same for what comes in quick succession: the first wakes at once, the others together.

        Something else that rings wakes at once, and the task finds these as well.
        """
        if self._later is not None:
            return
        if self._waiting is None:
            # The task is busy, and looks when it is not.
            self._rung = True
            self._rung_at = self._rung_at or time.monotonic()
            return
        loop = self._waiting.get_loop()
        if loop.time() < self._next_of_many:
            self._rung_at = self._rung_at or time.monotonic()
            self._later = loop.call_at(self._next_of_many, self._ring_for_many, loop)
        else:
            self._ring_for_many(loop)

    def end(self) -> None:
        """There will be nothing more to wait for."""
        self._over = True
        self.ring()

    async def wait(self) -> bool:
        """True when it was rung since the last time; False, at once and for good, when it is over."""
        if not self._rung and not self._over:
            assert self._waiting is None, "a bell is for one waiting task"
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
                if self._later is not None:
                    # Woken by something else, or cancelled: then the next one who waits is to look.
                    self._later.cancel()
                    self._later, self._rung = None, True
        self._rung = False
        self.heard_at, self._rung_at = self._rung_at, 0.0
        return not self._over

    def _ring_for_many(self, loop: asyncio.AbstractEventLoop) -> None:
        self._later = None
        self._next_of_many = loop.time() + MANY_SECONDS
        self.ring()
