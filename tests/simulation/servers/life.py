"""The life of a simulated process: whatever it started runs in its context, and ends with it.

A crash is a moment and not a procedure: every task of the process is cancelled between two of its
awaits, and whatever still touches the database on its way out is told that it no longer exists.
"""

import asyncio
import contextvars
import inspect
from collections.abc import Coroutine
from typing import Any, Optional, TypeVar

T = TypeVar("T")

_current: contextvars.ContextVar[Optional["Life"]] = contextvars.ContextVar("life", default=None)


class Killed(BaseException):
    """The process this code ran in no longer exists. Nothing may catch it."""


class Life:
    """Everything that runs in one process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.over = False
        # Also those that have ended: to take each out when it does would cost a step of the loop.
        self.tasks: list[asyncio.Task[Any]] = []
        self._context = contextvars.copy_context()
        self._context.run(_current.set, self)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Somebody outside has this process do something."""
        return asyncio.get_running_loop().create_task(work, context=self._context)

    def kill(self) -> None:
        """What has not taken its first step is left to its parent: it holds nothing that could be lost."""
        self.over = True
        for task in self.tasks:
            if not task.done() and _has_begun(task):
                task.cancel()

    def check(self) -> None:
        if self.over:
            raise Killed


def register(task: asyncio.Task[Any], context: contextvars.Context) -> None:
    """Note whose task it is: that of whoever started it. For the loop's task factory."""
    life = context.get(_current)
    if life is not None:
        life.tasks.append(task)


def _has_begun(task: asyncio.Task[Any]) -> bool:
    work = task.get_coro()
    return not inspect.iscoroutine(work) or inspect.getcoroutinestate(work) != inspect.CORO_CREATED


def only_killed(error: BaseException | None) -> bool:
    """Whether this is what is left of a crash, and nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(only_killed(each) for each in error.exceptions)
    return isinstance(error, Killed | asyncio.CancelledError | None)


def failure_of(task: "asyncio.Task[Any]") -> BaseException | None:
    """What broke a task that has ended, if it was not a crash."""
    error = None if task.cancelled() else task.exception()
    return None if only_killed(error) else error
