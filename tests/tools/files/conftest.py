from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.files.desk import FileDesk, a_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[FileDesk]:
    with a_desk(tmp_path) as made:
        yield made
