"""Blocking work on files, in a few threads of its own."""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# A file system that hangs keeps as many threads busy, and none that others need.
AT_ONCE_MAX = 8
# How long a cancelled caller waits for its thread, so that nothing is written after the call has ended.
GRACE_SECONDS = 2.0


class Stopped(Exception):
    """No caller waits for the result any more."""


class Stop:
    """Tells the work of a thread that its caller is gone. It is asked between two steps of the work."""

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set

    def check(self) -> None:
        if self._is_set:
            raise Stopped


class Threads:
    """`inline` does the work at once, in the loop: for simulations, which have no threads.

    Not an executor of the standard library: two futures and a lock for each piece of work cost more than to
    read a small file.
    """

    def __init__(self, *, inline: bool = False) -> None:
        self._inline = inline
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        # Those whose threads are not done with them, also when their callers are gone.
        self._unended: set[_Job[Any]] = set()
        self._count = 0
        self._closed = False

    async def run(self, work: Callable[[Stop], T]) -> T:
        """What the work returns. A cancelled caller tells it to stop, and waits a moment for it."""
        if self._inline:
            return work(Stop())
        if self._closed:
            raise RuntimeError("the workspace is closed")
        job = _Job(work, asyncio.get_running_loop(), self._unended)
        if len(self._unended) > self._count < AT_ONCE_MAX:
            self._count += 1
            # A file system that hangs does not keep the server from ending.
            threading.Thread(target=_perform_all, args=(self._jobs,), name="workspace", daemon=True).start()
        self._jobs.put(job)
        try:
            return await job.answered
        except asyncio.CancelledError:
            job.stop.set()
            if job.has_begun:
                await asyncio.wait({job.ended}, timeout=GRACE_SECONDS)
            raise

    def close(self) -> None:
        """No more work is taken. What runs is told nothing, and is not waited for."""
        self._closed = True
        for job in self._unended:
            if not job.has_begun:
                job.stop.set()
                job.answered.cancel()
        for _ in range(self._count):
            self._jobs.put(None)


class _Job(Generic[T]):
    """Work on its way to a thread, and the caller that waits for it."""

    def __init__(
        self, work: Callable[[Stop], T], loop: asyncio.AbstractEventLoop, unended: "set[_Job[Any]]"
    ) -> None:
        self._work = work
        self._loop = loop
        self.stop = Stop()
        self.answered: asyncio.Future[T] = loop.create_future()
        # The same moment, also for a caller that does not want the answer any more.
        self.ended: asyncio.Future[None] = loop.create_future()
        self.has_begun = False
        self._unended = unended
        unended.add(self)

    def perform(self) -> None:
        # In this order: a caller that is gone finds that it has begun, or the thread finds that it is gone.
        self.has_begun = True
        result: T | None = None
        error: BaseException | None = None
        if not self.stop.is_set():
            try:
                result = self._work(self.stop)
            except BaseException as failed:  # noqa: BLE001 - handed to the caller, who raises it
                error = failed
        try:
            self._loop.call_soon_threadsafe(self._answer, result, error)
        except RuntimeError:
            pass  # The loop is gone, and with it the caller.

    def _answer(self, result: T | None, error: BaseException | None) -> None:
        self._unended.discard(self)
        self.ended.set_result(None)
        if self.answered.done():
            return
        if error is not None:
            self.answered.set_exception(error)
        else:
            self.answered.set_result(result)  # type: ignore[arg-type]  # the work has returned it


def _perform_all(jobs: "queue.SimpleQueue[_Job[Any] | None]") -> None:
    while (job := jobs.get()) is not None:
        job.perform()
        # Free the result while we wait for the next job: it may be a large file.
        del job
