"""The local workspaces of this process: opened when a chat first needs one, and ended with the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import structlog

from chatd.domain.ids import ChatId
from chatd.kit.clock import Clock
from chatd.workspaces.local.processes.local_processes import LocalProcesses
from chatd.workspaces.local.sandbox.confine import Confinement, Enclosure
from chatd.workspaces.local.sandbox.scratch import Scratch
from chatd.workspaces.local.workspace import SCRATCH, LocalWorkspace, local_workspace
from chatd.workspaces.protection import Protection
from chatd.workspaces.workspace import WorkspaceUnusable

WORKSPACES_MAX = 64
# One that was not asked for in this time, and has no process that runs, makes room for another. Longer than
# any call lasts that runs no process, so that none is closed in the middle of a call.
IDLE_SECONDS_MIN = 1800.0
# How much of the hash of a path names the directories that we keep for it.
_NAME_CHARACTERS = 32

log = structlog.get_logger()


class _Kept:
    """A workspace that is open, or about to be. `ended` is set when its processes are gone."""

    def __init__(self) -> None:
        self.workspace: asyncio.Future[LocalWorkspace] = asyncio.get_running_loop().create_future()
        self.closing = asyncio.Event()
        self.ended = asyncio.Event()
        self.used_at = 0.0

    @property
    def is_open(self) -> bool:
        return self.workspace.done() and self.workspace.exception() is None

    def fail(self, reason: WorkspaceUnusable) -> None:
        """It is not open any more. Callers that still wait for it are told why."""
        if not self.workspace.done():
            self.workspace.set_exception(reason)
            # Looked at, so that asyncio does not complain when no caller waits.
            self.workspace.exception()
        self.closing.set()
        self.ended.set()


class OpenWorkspaces:
    """Chats with the same root share a workspace, so that each sees what the other's commands do."""

    def __init__(
        self,
        directory: Path,
        enclosure: Enclosure,
        confinement: Confinement,
        clock: Clock,
        group: asyncio.TaskGroup,
        *,
        workspaces_max: int = WORKSPACES_MAX,
    ) -> None:
        self._directory = directory
        self._enclosure = enclosure
        self._confinement = confinement
        self._clock = clock
        self._group = group
        self._max = workspaces_max
        self._kept: dict[Path, _Kept] = {}
        self._opening = asyncio.Lock()
        self._ending = False

    @property
    def protection(self) -> Protection:
        return self._enclosure.protection

    async def at(self, root: Path) -> LocalWorkspace:
        """The workspace of this directory. Raises WorkspaceUnusable."""
        kept = self._kept.get(root)
        if kept is None or kept.closing.is_set():
            async with self._opening:
                kept = await self._open(root)
        kept.used_at = self._clock.monotonic()
        # Shielded: a caller that is cancelled must not take the workspace away from the others.
        return await asyncio.shield(kept.workspace)

    async def _open(self, root: Path) -> _Kept:
        while (kept := self._kept.get(root)) is not None:
            if not kept.closing.is_set():
                return kept
            await kept.ended.wait()
        await self._make_room()
        if self._ending:
            raise WorkspaceUnusable("The server is being stopped.")
        kept = self._kept[root] = _Kept()
        self._group.create_task(self._keep(root, kept), name=f"workspace {root}")
        return kept

    async def _make_room(self) -> None:
        if len(self._kept) < self._max:
            return
        for kept in sorted(self._kept.values(), key=lambda each: each.used_at):
            if self._is_idle(kept):
                kept.closing.set()
                await kept.ended.wait()
                return
        raise WorkspaceUnusable(
            f"{self._max} workspaces are in use on this server, and there may be no more. Try again later."
        )

    def _is_idle(self, kept: _Kept) -> bool:
        if not kept.is_open or self._clock.monotonic() - kept.used_at < IDLE_SECONDS_MIN:
            return False
        return kept.workspace.result().processes.running_count == 0

    async def _keep(self, root: Path, kept: _Kept) -> None:
        """For as long as the workspace is open. What goes wrong in one is no concern of the others."""
        try:
            async with local_workspace(
                root,
                self._directory_of(root),
                self._enclosure,
                self._confinement,
                self._clock,
                count_all=self._count_all,
            ) as workspace:
                kept.workspace.set_result(workspace)
                await kept.closing.wait()
        except Exception:
            log.exception("workspace.failed", root=str(root))
        finally:
            kept.fail(WorkspaceUnusable(f"{root} cannot be opened. The log of the server says why."))
            del self._kept[root]

    def _count_all(self) -> int:
        return sum(processes.running_count for processes in self._processes())

    def _directory_of(self, root: Path) -> Path:
        return self._directory / sha256(str(root).encode()).hexdigest()[:_NAME_CHARACTERS]

    def chats(self) -> frozenset[ChatId]:
        """Those of which a process runs, or is remembered."""
        return frozenset().union(*(processes.chats() for processes in self._processes()))

    def forget_chat(self, chat_id: ChatId) -> None:
        """The chat is gone: kill what it runs, and forget what it ran."""
        for processes in self._processes():
            processes.forget_chat(chat_id)

    def _processes(self) -> list[LocalProcesses]:
        """Of the workspaces that are open."""
        opened = [kept.workspace for kept in self._kept.values() if kept.is_open]
        return [workspace.result().processes for workspace in opened]

    async def end_processes(self) -> None:
        """End all of them, while calls that wait for one can still see how it ended. No other may begin."""
        self._ending = True
        async with asyncio.TaskGroup() as group:
            for processes in self._processes():
                group.create_task(processes.end_all())

    def end(self) -> None:
        """End all processes. No workspace is opened any more."""
        self._ending = True
        for kept in self._kept.values():
            kept.closing.set()


@asynccontextmanager
async def open_workspaces(
    directory: Path, enclosure: Enclosure, confinement: Confinement, clock: Clock
) -> AsyncIterator[OpenWorkspaces]:
    """`directory` is where what belongs to each workspace is kept. When the block ends, so have they."""
    await asyncio.to_thread(_remove_left_behind, directory)
    async with asyncio.TaskGroup() as group:
        workspaces = OpenWorkspaces(directory, enclosure, confinement, clock, group)
        try:
            yield workspaces
        finally:
            workspaces.end()


def _remove_left_behind(directory: Path) -> None:
    """What a server that was killed left of its commands, also of workspaces that are never opened again."""
    for path in directory.glob(f"*/{SCRATCH}"):
        Scratch(path).remove()
