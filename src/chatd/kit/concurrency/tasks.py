"""The few shapes of concurrency we use. Each has a parent that waits."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish this work even if we are cancelled meanwhile; then be cancelled.

    For the short write of something that exists only here, such as a tool's result. The work
    must end by itself. Its error is raised as it is.
    """
    loop = asyncio.get_running_loop()
    # No group: we are the parent that waits, whatever happens.
    task = loop.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        ended = loop.create_future()
        task.add_done_callback(partial(_wake, ended))
        try:
            await ended
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        # Whoever stops us does not care what went wrong; asked for, or asyncio logs that no one did.
        _ = task.cancelled() or task.exception()
        raise cancelled
    return task.result()


def _wake(waiter: "asyncio.Future[None]", _: object) -> None:
    if not waiter.done():
        waiter.set_result(None)


def is_cancelled() -> bool:
    """Whether our task was cancelled, and has something to finish before it heeds that."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def ends_when_cancelled(task: "asyncio.Task[Any]", within_seconds: float) -> bool:
    """Cancel the task and wait for its end, but not for ever: some do not heed it.

    Such a task still has its parent, who waits for it.
    """
    task.cancel()
    await asyncio.wait([task], timeout=within_seconds)
    return task.done()
