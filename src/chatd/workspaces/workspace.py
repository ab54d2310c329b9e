"""A workspace: where the tools of a chat act."""

from typing import Protocol

from chatd.workspaces.files import Files


class Workspace(Protocol):
    @property
    def files(self) -> Files: ...
