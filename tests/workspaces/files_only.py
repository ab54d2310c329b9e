"""A workspace of which only the files are there, for what needs nothing else."""

from pathlib import Path
from typing import NoReturn, Self

from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads


class FilesOnly:
    """All work is done in the loop itself, also in virtual time."""

    checkpoints = None

    def __init__(self, root: Path) -> None:
        self.files: Files = LocalFiles(root, Threads(inline=True))

    @classmethod
    def of(cls, files: Files) -> Self:
        workspace = cls.__new__(cls)
        workspace.files = files
        return workspace

    @property
    def processes(self) -> NoReturn:
        raise NotImplementedError

    @property
    def protection(self) -> NoReturn:
        raise NotImplementedError
