"""A program as a child of this process, spoken to over pipes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chatd.workspaces.local.processes.child import Child
from chatd.workspaces.pipes import Hangup
from chatd.workspaces.processes import NoInput, Signal

# What is kept of what a program prints as errors.
COMPLAINTS_BYTES_MAX = 2048
# How long it may take to end when it is told to.
END_SECONDS_MAX = 1.0


class ChildPipes:
    """See `Pipes`."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._complaints = b""
        self._stopped_because = ""

    async def read(self) -> bytes:
        return await self._child.read_some()

    async def write(self, data: bytes) -> None:
        try:
            await self._child.write(data, end=False)
        except NoInput as error:
            raise Hangup(str(error)) from error

    @property
    def complaints(self) -> str:
        said = self._complaints.decode("utf-8", "replace").strip()
        return "\n".join(filter(None, (said, self._stopped_because)))

    def note(self, chunk: bytes) -> None:
        self._complaints = (self._complaints + chunk)[-COMPLAINTS_BYTES_MAX:]

    def stop(self, why: str) -> None:
        self._stopped_because = why
        self._child.kill()


@asynccontextmanager
async def spoken_to(child: Child) -> AsyncIterator[ChildPipes]:
    """Of a child that was started with its errors apart. When the block ends, so has the program."""
    pipes = ChildPipes(child)
    try:
        async with asyncio.TaskGroup() as group:
            noting = group.create_task(child.read_errors(pipes.note), name=f"errors of {child.pid}")
            try:
                yield pipes
            finally:
                noting.cancel()
    finally:
        await _end(child)


async def _end(child: Child) -> None:
    """Its input ends, it is asked to end, and then it has to."""
    try:
        child.end_input()
        child.signal(Signal.TERMINATE)
        await _has_ended(child)
    finally:
        child.kill()
        child.kill_left_behind()
        child.close()
    await _has_ended(child)


async def _has_ended(child: Child) -> None:
    try:
        async with asyncio.timeout(END_SECONDS_MAX):
            await child.wait()
    except TimeoutError:
        pass  # It does not want to, or the kernel is busy with it.
