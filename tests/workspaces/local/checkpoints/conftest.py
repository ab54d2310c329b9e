from pathlib import Path

import pytest

from chatd.workspaces.local.checkpoints.local_checkpoints import LocalCheckpoints
from tests.workspaces.local.checkpoints.project import make_project, points_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def points(root: Path) -> LocalCheckpoints:
    return points_of(root)
