"""A workspace of which only the files are there, for what needs nothing else."""

from pathlib import Path
from typing import NoReturn

from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads


class FilesOnly:
    """`inline` does all work in the loop itself, for tests in virtual time."""

    checkpoints = None

    def __init__(self, root: Path, *, inline: bool = True) -> None:
        self.files = LocalFiles(root, Threads(inline=inline))

    @property
    def processes(self) -> NoReturn:
        raise NotImplementedError

    @property
    def protection(self) -> NoReturn:
        raise NotImplementedError
