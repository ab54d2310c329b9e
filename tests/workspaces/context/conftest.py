from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.workspaces.files import Files
from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The directory of the workspace, with a neighbour that is none of its business."""
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    root.mkdir()
    return root


@pytest.fixture
async def files(root: Path) -> AsyncIterator[Files]:
    threads = Threads()
    yield LocalFiles(root, threads)
    threads.close()
