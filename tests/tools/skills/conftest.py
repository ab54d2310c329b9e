"""A skill of a workspace and one of a user."""

from pathlib import Path

import pytest

from tests.tools.skills.desk import MINE, Asking, library


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "root" / "skills" / "deploy"
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text("Something else than what is pinned.")
    (directory / "hosts.md").write_text("One and two.")
    return tmp_path / "root"


@pytest.fixture
def ask(root: Path) -> Asking:
    return Asking(library("deploy", "gone", personal=(MINE,)), root)
