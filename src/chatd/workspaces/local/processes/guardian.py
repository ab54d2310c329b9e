"""Ends what commands without a sandbox leave behind, also when the server is killed.

In a sandbox the kernel does that. Without one, commands are in groups of their own, which outlive the server;
and a program may leave its group. So a small process, the guardian, is told of each group, and every command
carries a mark in its environment. When the pipe to the guardian closes, it kills the groups and every process
that has the mark.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex

from chatd.workspaces.local.processes import guardian_program

MARK = "CHATD_WORKSPACE_MARK"
END_SECONDS_MAX = 10.0


class Guardian:
    def __init__(self, mark: str, process: asyncio.subprocess.Process) -> None:
        self.marks: Mapping[str, str] = {MARK: mark}
        self._process = process

    def watch(self, group: int) -> None:
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        self._tell(f"-{group}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def end(self) -> None:
        """Returns when it has cleaned up."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS_MAX):
                await self._process.wait()


@asynccontextmanager
async def guardian() -> AsyncIterator[Guardian]:
    mark = token_hex(16)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-S",
        str(Path(guardian_program.__file__)),
        f"{MARK}={mark}",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": os.defpath},
        start_new_session=True,
    )
    kept = Guardian(mark, process)
    try:
        yield kept
    finally:
        await kept.end()
