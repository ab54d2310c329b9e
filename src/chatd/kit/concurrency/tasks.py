"""The few shapes of concurrency we use. Each has a parent that waits."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish this work even if we are cancelled meanwhile; then be cancelled.

    For the short write of something that exists only here, such as a tool's result. The work
    must end by itself. Its error is raised as it is.
    """
    failure: Exception | None = None

    async def finish() -> T | None:
        nonlocal failure
        try:
            return await work
        except Exception as error:  # noqa: BLE001 - handed to the caller that waits for the work
            failure = error  # A group would wrap it, and no caller could catch it by its type.
            return None

    cancelled: asyncio.CancelledError | None = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(finish())
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure
    return task.result()  # type: ignore[return-value]  # None only beside a failure


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
