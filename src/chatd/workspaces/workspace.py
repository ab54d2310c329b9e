"""A workspace: where the tools of a chat act."""

from typing import Protocol

from chatd.workspaces.checkpoints import Checkpoints
from chatd.workspaces.files import Files
from chatd.workspaces.processes import Processes
from chatd.workspaces.protection import Protection


class WorkspaceUnusable(Exception):
    """A chat's workspace cannot be used now. The message says why, and what to do: models read it."""


class Workspace(Protocol):
    @property
    def files(self) -> Files: ...

    @property
    def checkpoints(self) -> Checkpoints | None:
        """None: the files of this workspace are not kept before they are changed."""
        ...

    @property
    def processes(self) -> Processes: ...

    @property
    def protection(self) -> Protection:
        """What keeps commands in their place."""
        ...
