from pathlib import Path

import pytest

from chatd.cli.operate.demo_project import FILES
from tests.cli.program import chatd, complaint


def test_a_demo_mends_its_project_and_leaves_it_where_it_was_asked_to(tmp_path: Path) -> None:
    project = tmp_path / "project"

    run = chatd(tmp_path, "demo", str(project), "--yes")

    assert run.returncode == 0
    assert "FAILED: the mean of 2 4 6 is 4, not 5" in run.stdout
    assert "ok: the mean of 2 4 6 is 4" in run.stdout
    assert "Done: the tests pass." in run.stdout
    assert (project / "mean.sh").read_text() == FILES["mean.sh"].replace(" + 1", "")


@pytest.mark.parametrize("taken", ["", "mine"], ids=["a directory", "a file"])
def test_a_demo_does_not_write_among_or_over_files_that_are_there(tmp_path: Path, taken: str) -> None:
    (tmp_path / "mine").write_text("mine")

    run = chatd(tmp_path, "demo", str(tmp_path / taken))

    assert run.returncode == 1
    assert "is no empty directory" in complaint(run)
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]
