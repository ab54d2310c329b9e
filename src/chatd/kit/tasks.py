"""The few shapes of concurrency we use. Each has a parent that waits."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish this work even if we are cancelled meanwhile; then be cancelled.

    For the short write of something that exists only here, such as a tool's result. The work
    must end by itself.
    """
    cancelled: asyncio.CancelledError | None = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                if task.done():
                    break
                cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()


async def wait_until(event: asyncio.Event, *, at_most: Awaitable[None]) -> None:
    """Return when the event is set or the other thing is over, whichever comes first."""
    async with asyncio.TaskGroup() as group:
        waiting = {group.create_task(_set(event)), group.create_task(_over(at_most))}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()


async def _set(event: asyncio.Event) -> None:
    await event.wait()


async def _over(awaitable: Awaitable[None]) -> None:
    await awaitable
