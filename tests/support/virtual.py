"""An event loop whose time is ours: nothing ever waits, everything happens in the right order.

When nothing is ready, the clock jumps to the next timer. A program that waits for something that
no timer and nobody else will bring is told so at once instead of hanging.
"""

import asyncio
import contextvars
import random
import selectors
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from chatd.domain.ids import SECOND
from tests.clock import START_MICROS

T = TypeVar("T")


class Stuck(AssertionError):
    """Every task waits for another one."""


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing: time passes instead."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise Stuck("nothing will ever happen any more")
        if not ready and timeout:
            self.loop.passed += timeout
        return ready


class NumberedTask(asyncio.Task[Any]):
    """Tasks are told apart by the order in which they were made, whatever their place in memory."""

    number = 0


class VirtualLoop(asyncio.SelectorEventLoop):
    """With a seed, tasks that are ready at the same moment run in an order of chance."""

    def __init__(self, seed: int | None = None) -> None:
        self.passed = 0.0
        # By how many seconds the clock on the wall was put back.
        self.put_back = 0.0
        # Told of each task when it is made, and of its context.
        self.on_task: Callable[[asyncio.Task[Any], contextvars.Context], None] | None = None
        self._made = 0
        self._chance = random.Random(seed) if seed is not None else None
        selector = _JumpingSelector()
        selector.loop = self
        super().__init__(selector)
        # Room for a jump to the exact moment of a timer, whatever a float makes of it.
        self._clock_resolution = 1e-6
        self.set_task_factory(self._make)

    def time(self) -> float:
        return self.passed

    def _run_once(self) -> None:
        ready: deque[Any] = self._ready  # type: ignore[attr-defined]  # asyncio's own queue
        if self._chance is not None and len(ready) > 1:
            # Whoever wakes many at once does so in the order of a set, which is never the same.
            shuffled = sorted(ready, key=_number)
            self._chance.shuffle(shuffled)
            ready.clear()
            ready.extend(shuffled)
        super()._run_once()  # type: ignore[misc]  # asyncio's own step

    def _make(
        self, _: asyncio.AbstractEventLoop, work: Any, context: contextvars.Context | None = None
    ) -> NumberedTask:
        context = context if context is not None else contextvars.copy_context()
        task = NumberedTask(work, loop=self, context=context)
        self._made += 1
        task.number = self._made
        if self.on_task is not None:
            self.on_task(task, context)
        return task


def _number(handle: Any) -> int:
    """Of the task that this handle goes on with; 0 for anything else, which comes in order anyway."""
    task = getattr(handle._callback, "__self__", None)
    return task.number if isinstance(task, NumberedTask) else 0


def _loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


class VirtualClock:
    """The clock of a program that runs in a virtual loop."""

    def now_micros(self) -> int:
        loop = _loop()
        return START_MICROS + int((loop.time() - loop.put_back) * SECOND)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    def put_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall, for all who look at it; time itself goes on."""
        _loop().put_back += seconds

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_virtually(main: Coroutine[Any, Any, T], *, seed: int | None = None) -> T:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(seed)) as runner:
        return runner.run(main)
