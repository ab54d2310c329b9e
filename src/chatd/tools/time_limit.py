"""How long a call may take. The time in which its tool rests is not counted, and has a limit of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Self

from chatd.tools.tool import ToolError

REST_SECONDS_MAX = 86400.0


class TimeLimit:
    """Raises ToolError when the time is over."""

    def __init__(self, tool: str, seconds: float) -> None:
        self._tool = tool
        self._seconds = seconds
        self._limit = asyncio.timeout(seconds)
        self._rests = 0
        self._left = seconds

    async def __aenter__(self) -> Self:
        await self._limit.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError as over:
            took = (
                f"rested longer than {REST_SECONDS_MAX:g}"
                if self._rests
                else f"took longer than {self._seconds:g}"
            )
            raise ToolError(f"{self._tool} {took} seconds and was stopped.") from over

    @asynccontextmanager
    async def paused(self, resting: Callable[[], AbstractAsyncContextManager[None]]) -> AsyncIterator[None]:
        """Rest in the block. Parts of a tool may do so at the same time: the first and the last one count."""
        now = asyncio.get_running_loop().time
        if not self._rests:
            self._left = max(0.0, (self._limit.when() or now()) - now())
            self._limit.reschedule(now() + REST_SECONDS_MAX)
        self._rests += 1
        try:
            async with resting():
                yield
        finally:
            # When it is over, its error says what took so long.
            if not self._limit.expired():
                self._rests -= 1
                if not self._rests:
                    self._limit.reschedule(now() + self._left)
