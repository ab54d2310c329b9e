import shutil
from pathlib import Path

import pytest


@pytest.fixture
def folder(sqlite_template: Path, tmp_path: Path) -> Path:
    """With a database in it that is ready for use."""
    shutil.copy(sqlite_template, tmp_path / "chatd.db")
    return tmp_path
