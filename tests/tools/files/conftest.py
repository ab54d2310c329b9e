from collections.abc import Iterator
from pathlib import Path

import pytest

from chatd.workspaces.local.files.local_files import LocalFiles
from chatd.workspaces.local.files.threads import Threads
from tests.tools.files.desk import FileDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FileDesk]:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("secret")
    threads = Threads()
    yield FileDesk(LocalFiles(root, threads), root)
    threads.close()
