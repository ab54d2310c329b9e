"""A bell: wakes whoever waits for it, and may be rung for many reasons."""

import asyncio


class Bell:
    """For one who waits. Rings add up to one waking; whoever wakes looks for themselves what is new."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._over = False

    @property
    def over(self) -> bool:
        return self._over

    def ring(self) -> None:
        self._rung.set()

    def end(self) -> None:
        """There will be nothing more to wait for."""
        self._over = True
        self._rung.set()

    async def wait(self) -> bool:
        """True when it was rung since the last time; False, at once and for good, when it is over."""
        await self._rung.wait()
        if not self._over:
            self._rung.clear()
        return not self._over
