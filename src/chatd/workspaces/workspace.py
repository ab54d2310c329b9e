"""A workspace: where the tools of a chat act."""

from typing import Protocol

from chatd.workspaces.checkpoints import Checkpoints
from chatd.workspaces.files import Files


class Workspace(Protocol):
    @property
    def files(self) -> Files: ...

    @property
    def checkpoints(self) -> Checkpoints | None:
        """None: the files of this workspace are not kept before they are changed."""
        ...
