"""A local workspace with real processes, for tests: in a sandbox, and without one."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatd.domain.ids import ChatId
from chatd.kit.clock import Clock, SystemClock
from chatd.workspaces.local.processes.local_processes import LocalProcesses, local_processes
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure, SandboxMode, find_enclosure
from chatd.workspaces.processes import Look, Output, Process, Signal, Start, Until
from chatd.workspaces.protection import Level
from tools.bubblewrap import find_program

CHAT = ChatId("chat")
OTHER = ChatId("other")
# What a real process may take on a slow machine before a test fails. None of them takes this long.
PATIENCE_SECONDS = 60.0


class World:
    """One workspace. `run` is for commands that end, `start` for others."""

    def __init__(self, processes: LocalProcesses, path: Path) -> None:
        self.processes = processes
        self.root = path / "root"
        # Where the server keeps what commands must not see.
        self.data = path / "data"
        self._started = 0

    def fifo(self, name: str = "fifo") -> Path:
        """What a command can wait for, and tell that it has come that far."""
        path = self.root / name
        os.mkfifo(path)
        return path

    async def start(self, command: str, *, chat_id: ChatId = CHAT, **more: object) -> Process:
        self._started += 1
        start = Start(id=f"p{self._started}", chat_id=chat_id, command=command, **more)  # type: ignore[arg-type]
        return await self.processes.start(start)

    async def ended(self, process: Process, look: Look | None = None) -> Output:
        """When it has ended, with all of its output."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                output = await self.processes.output(
                    None, process.id, look or Look(), until=Until.EXIT, wait_seconds=PATIENCE_SECONDS
                )
                if not output.process.running:
                    return output

    async def run(self, command: str, look: Look | None = None, **more: object) -> Output:
        return await self.ended(await self.start(command, **more), look)  # type: ignore[arg-type]

    async def says(self, command: str, **more: object) -> str:
        return (await self.ended(await self.start(command, **more))).text  # type: ignore[arg-type]

    async def printed(self, process: Process, text: str) -> Output:
        """When the process has printed this."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            seen = await self.processes.output(None, process.id, Look())
            while text not in seen.text:
                await self.processes.output(
                    None,
                    process.id,
                    Look(offset=seen.total_bytes),
                    until=Until.OUTPUT,
                    wait_seconds=PATIENCE_SECONDS,
                )
                seen = await self.processes.output(None, process.id, Look())
        return seen

    async def kill(self, process: Process) -> Output:
        await self.processes.signal(None, process.id, Signal.KILL)
        return await self.ended(process)


async def enclosure_for(confinement: Confinement) -> Enclosure:
    """As the confinement asks for. Where a sandbox is wanted and there is none, the test is skipped."""
    found = await find_enclosure(confinement, find_program())
    if found.protection.level is Level.CLOSED:
        pytest.skip(f"The sandbox was not tested. {found.protection.why}")
    return found


@asynccontextmanager
async def a_world(
    path: Path,
    mode: SandboxMode = SandboxMode.REQUIRE,
    *,
    clock: Clock | None = None,
    confinement: Confinement | None = None,
    server_environment: Mapping[str, str] | None = None,
    shell_path: str = "/bin/sh",
) -> AsyncIterator[World]:
    data, root = path / "data", path / "root"
    for each in (data, root):
        each.mkdir(parents=True, exist_ok=True)
    confinement = confinement or Confinement(mode=mode, hidden=(data,))
    enclosure = await enclosure_for(confinement)
    async with local_processes(
        root,
        data / "scratch",
        enclosure,
        confinement,
        clock or SystemClock(),
        server_environment=server_environment or {"PATH": os.environ.get("PATH", os.defpath)},
        shell_path=shell_path,
    ) as processes:
        yield World(processes, path)


def program(name: str) -> str:
    """The place of a program that a command may need; the test is skipped where there is none."""
    found = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found
