"""A directory on this machine as a workspace: its files, its processes, and what protects the rest."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.kit.clock import Clock
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.processes.local_processes import LocalProcesses, local_processes
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure
from chatd.workspaces.protection import Protection


class LocalWorkspace:
    """Implements `Workspace`."""

    def __init__(self, files: LocalFiles, processes: LocalProcesses) -> None:
        self.files = files
        self.processes = processes
        self.checkpoints = None

    @property
    def protection(self) -> Protection:
        return self.processes.protection


@asynccontextmanager
async def local_workspace(
    root: Path, scratch: Path, enclosure: Enclosure, confinement: Confinement, clock: Clock
) -> AsyncIterator[LocalWorkspace]:
    """When the block ends, so have the processes. `scratch` is for this workspace alone."""
    threads = Threads()
    try:
        files = await asyncio.to_thread(LocalFiles, root, threads)
        async with local_processes(root, scratch, enclosure, confinement, clock) as processes:
            yield LocalWorkspace(files, processes)
    finally:
        threads.close()
