"""A directory on this machine as a workspace: its files and their checkpoints, its processes, what protects
the rest.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from chatd.kit.clock import Clock
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from chatd.workspaces.local.checkpoints.repository import REPOSITORY
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from chatd.workspaces.local.processes.local_processes import LocalProcesses, local_processes
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure
from chatd.workspaces.protection import Protection

# Of its processes: their home, their /tmp, and what they print.
SCRATCH = "scratch"


class LocalWorkspace:
    """Implements `Workspace`."""

    def __init__(
        self, files: LocalFiles, processes: LocalProcesses, checkpoints: LocalCheckpoints | None
    ) -> None:
        self.files = files
        self.processes = processes
        self.checkpoints = checkpoints

    @property
    def protection(self) -> Protection:
        return self.processes.protection


@asynccontextmanager
async def local_workspace(
    root: Path,
    kept: Path,
    enclosure: Enclosure,
    confinement: Confinement,
    clock: Clock,
    *,
    count_all: Callable[[], int] | None = None,
) -> AsyncIterator[LocalWorkspace]:
    """When the block ends, so have the processes. `kept` is for what belongs to this workspace alone.

    `count_all` says how many processes run in all workspaces together.
    """
    threads = Threads()
    try:
        files = await asyncio.to_thread(LocalFiles, root, threads)
        # Without git nothing is kept.
        git = git_path()
        checkpoints = (
            LocalCheckpoints(git, kept / REPOSITORY, root, clock=clock, threads=threads) if git else None
        )
        async with local_processes(
            root, kept / SCRATCH, enclosure, confinement, clock, count_all=count_all
        ) as processes:
            yield LocalWorkspace(files, processes, checkpoints)
    finally:
        threads.close()
