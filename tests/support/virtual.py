"""An event loop whose time is ours: nothing ever waits, everything happens in the right order.

When nothing is ready, the clock jumps to the next timer. A program that waits for something that
no timer and nobody else will bring is told so at once instead of hanging.
"""

import asyncio
import contextvars
import itertools
import random
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from heapq import heappop, heappush
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

from chatd.domain.ids import SECOND
from tests.clock import START_MICROS

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Context: TypeAlias = contextvars.Context | None


# So many steps have few enough orders to know them all.
ORDERED_MAX = 6
_ORDERS = [list(itertools.permutations(range(count))) for count in range(ORDERED_MAX + 1)]

# That the tasks of a program have to end which was stuck.
CLEAN_UP_STEPS = 10_000


class Stuck(AssertionError):
    """Every task waits for another one, or one of them does the same for ever."""


class NumberedTask(asyncio.Task[Any]):
    """Tasks are told apart by the order in which they were made, whatever their place in memory."""

    number = 0


class _Ready:
    """As much of asyncio's `Handle` as is used, for each step of each task and for each timer."""

    __slots__ = ("_args", "_callback", "_cancelled", "_context")

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: contextvars.Context
    ) -> None:
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True
        # A timer stays until its moment: what it was for need not.
        self._callback, self._args = bool, ()

    def cancelled(self) -> bool:
        return self._cancelled


class VirtualLoop(asyncio.SelectorEventLoop):
    """With a seed, what is ready at the same moment runs in an order of chance.

    Timers and steps are our own: nothing here waits for a socket, and asyncio's look at each would take
    a tenth of the time of a simulation.
    """

    def __init__(self, seed: int | None = None, *, steps_max: float = float("inf")) -> None:
        self.passed = 0.0
        self._steps_left = steps_max
        # By how many seconds the clock on the wall was put back.
        self.put_back = 0.0
        # Told of each task when it is made, and of its context.
        self.on_task: Callable[[asyncio.Task[Any], contextvars.Context], None] | None = None
        self._made = 0
        self._chance = random.Random(seed) if seed is not None else None
        # When, in which order they were made, and what is done then.
        self._timers: list[tuple[float, int, _Ready | asyncio.Future[None]]] = []
        self._timers_made = itertools.count()
        super().__init__()
        # asyncio's own: what runs in the next step, and whether it is the last one.
        self._ready: deque[asyncio.Handle]
        self._stopping: bool
        self.set_task_factory(self._make)
        # Asked for with every future and every task.
        self.get_debug = bool  # type: ignore[method-assign]  # False, without a call of Python
        self.create_future = partial(asyncio.Future, loop=self)  # type: ignore[method-assign]  # as above

    @property
    def timers(self) -> int:
        """How many are set."""
        return sum(not timer.cancelled() for _, _, timer in self._timers)

    def time(self) -> float:
        return self.passed

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context = None
    ) -> asyncio.Handle:
        handle: Any = _Ready(callback, args, context if context is not None else contextvars.copy_context())
        self._ready.append(handle)
        return handle  # type: ignore[no-any-return]  # as much of a handle as is used; a cast takes time

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self.passed + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context = None,
    ) -> asyncio.TimerHandle:
        timer: Any = _Ready(callback, args, context if context is not None else contextvars.copy_context())
        heappush(self._timers, (when, next(self._timers_made), timer))
        return timer  # type: ignore[no-any-return]  # as above

    def run_in_executor(self, _: Any, work: Callable[[*Ts], T], *args: *Ts) -> "asyncio.Future[T]":
        """Here there are no threads, and nobody would wait for one."""
        done: asyncio.Future[T] = asyncio.Future(loop=self)
        try:
            done.set_result(work(*args))
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            done.set_exception(error)
        return done

    def pause(self, seconds: float) -> "asyncio.Future[None]":
        """Done so much later. Takes one step of the loop less than `asyncio.sleep`; half of all timers do."""
        paused: asyncio.Future[None] = asyncio.Future(loop=self)
        heappush(self._timers, (self.passed + seconds, next(self._timers_made), paused))
        return paused

    def _run_once(self) -> None:
        """Instead of asyncio's own step: all steps, until the loop is to stop."""
        ready, timers, chance = self._ready, self._timers, self._chance
        while True:
            self._steps_left -= 1
            if self._steps_left < 0:
                # What is cancelled now has its own steps to clean up: patches of a story would outlive it.
                self._steps_left = CLEAN_UP_STEPS
                raise Stuck("something is done again and again")
            if not ready or (timers and timers[0][0] <= self.passed):
                self._wake()
            if chance is not None and len(ready) > 1:
                # Whoever wakes many at once does so in the order of a set, which is never the same.
                steps = sorted(ready, key=_number)
                ready.clear()
                ready.extend(_shuffled(steps, chance))
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle._cancelled:
                    try:
                        handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]  # it has both
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as error:  # noqa: BLE001 - told as asyncio tells it
                        self.call_exception_handler({"message": "A callback failed.", "exception": error})
            if self._stopping:
                return

    def _wake(self) -> None:
        """The timers whose moment has come. When nothing else is to be done, it comes now."""
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heappop(timers)
        if not self._ready and not self._stopping:
            if not timers:
                raise Stuck("nothing will ever happen any more")
            self.passed = max(self.passed, timers[0][0])
        while timers and timers[0][0] <= self.passed:
            due: Any = heappop(timers)[2]
            if isinstance(due, _Ready):
                self._ready.append(due)  # type: ignore[arg-type]  # as above
            elif not due.done():
                due.set_result(None)

    def _make(self, _: asyncio.AbstractEventLoop, work: Any, context: Context = None) -> NumberedTask:
        context = context if context is not None else contextvars.copy_context()
        task = NumberedTask(work, loop=self, context=context)
        self._made += 1
        task.number = self._made
        if self.on_task is not None:
            self.on_task(task, context)
        return task


def _shuffled(steps: list[T], chance: random.Random) -> list[T]:
    """As `shuffle` does it, without a call of Python for each."""
    if len(steps) <= ORDERED_MAX:
        orders = _ORDERS[len(steps)]
        return [steps[place] for place in orders[int(chance.random() * len(orders))]]
    places = [chance.random() for _ in steps]
    return [steps[place] for place in sorted(range(len(steps)), key=places.__getitem__)]


def _number(handle: Any) -> int:
    """Of the task that this handle goes on with; 0 for anything else, which comes in order anyway."""
    task = getattr(handle._callback, "__self__", None)
    return task.number if isinstance(task, NumberedTask) else 0


def running_loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


async def sleep(seconds: float, loop: VirtualLoop | None = None) -> None:
    if seconds <= 0:
        await asyncio.sleep(0)
    else:
        await (loop or running_loop()).pause(seconds)


class VirtualClock:
    """The clock of a program that runs in a virtual loop. One that is told which need not look for it."""

    def __init__(self, loop: VirtualLoop | None = None) -> None:
        self._loop = loop

    def now_micros(self) -> int:
        loop = self._loop or running_loop()
        return START_MICROS + int((loop.passed - loop.put_back) * SECOND)

    def monotonic(self) -> float:
        return (self._loop or asyncio.get_running_loop()).time()

    def put_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall, for all who look at it; time itself goes on."""
        running_loop().put_back += seconds

    async def sleep(self, seconds: float) -> None:
        if self._loop is not None and seconds > 0:
            await self._loop.pause(seconds)
        else:
            await sleep(seconds)


def run_virtually(
    main: Coroutine[Any, Any, T], *, seed: int | None = None, steps_max: float = float("inf")
) -> T:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(seed, steps_max=steps_max)) as runner:
        return runner.run(main)
