import os
import stat
from pathlib import Path

import pytest

from chatd.storage.data_dir.private_file import write_private


@pytest.mark.parametrize("replace", [True, False])
def test_only_the_owner_can_read_the_file_under_any_umask(tmp_path: Path, *, replace: bool) -> None:
    before = os.umask(0)
    try:
        write_private(tmp_path / "secret", "one\n", replace=replace)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert (tmp_path / "secret").read_text() == "one\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_a_file_that_is_there_is_replaced_or_kept_as_asked(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    write_private(file, "one", replace=True)
    write_private(file, "two", replace=True)
    with pytest.raises(FileExistsError):
        write_private(file, "three", replace=False)

    assert file.read_text() == "two"
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_a_failed_write_leaves_no_copy_of_the_secret_behind(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()

    with pytest.raises(OSError, match="secret"):
        write_private(tmp_path / "secret", "one", replace=True)

    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]
