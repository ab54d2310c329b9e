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

    def __init__(self, tool: str, seconds: float, advice: str = "") -> None:
        self._tool = tool
        # What else a model is told that knows only that the time was over.
        self._advice = advice
        self._seconds = seconds
        self._limit = asyncio.timeout(seconds)
        self._rests = 0
        self._left = seconds
        self._is_over = self._was_ignored = False

    async def __aenter__(self) -> Self:
        await self._limit.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError as over:
            raise ToolError(f"{self._tool} {self._took()} {self._end()}".rstrip()) from over

    def ignored(self) -> None:
        """The tool was stopped, and goes on."""
        self._was_ignored = True

    def _took(self) -> str:
        what, seconds = ("rested", REST_SECONDS_MAX) if self._rests else ("took", self._seconds)
        return f"{what} longer than {seconds:g} seconds"

    def _end(self) -> str:
        if self._was_ignored:
            return "and did not stop when it was told to, so it may still be at work. Do not wait for it."
        return f"and was stopped. {self._advice}"

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
            if not self._is_over and not self._limit.expired():
                self._rests -= 1
                if not self._rests:
                    self._limit.reschedule(now() + self._left)
