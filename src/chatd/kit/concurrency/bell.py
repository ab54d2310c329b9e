"""A bell: wakes the task that waits for it, and may be rung for many reasons."""

import asyncio


class Bell:
    """For one waiting task. Rings add up to one waking; the task looks for itself what is new.

    An `asyncio.Event` would do, for many who wait. Bells are rung for every word that is streamed, and one
    future costs half as much.
    """

    def __init__(self) -> None:
        self._rung = False
        self._over = False
        self._waiting: asyncio.Future[None] | None = None

    @property
    def over(self) -> bool:
        return self._over

    def ring(self) -> None:
        self._rung = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

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
        self._rung = False
        return not self._over
