import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from chatd.errors import Unusable
from chatd.storage.data_dir.data_dir import locked, open_data_dir

TRY_TO_LOCK = """
import sys
from pathlib import Path
from chatd.errors import Unusable
from chatd.storage.data_dir.data_dir import locked
try:
    with locked(Path(sys.argv[1]), *map(Path, sys.argv[2:])):
        print("locked")
except Unusable as error:
    print(error)
"""


def another_process_tries(directory: Path, *database: Path) -> str:
    arguments = [sys.executable, "-c", TRY_TO_LOCK, str(directory), *map(str, database)]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip()


def test_a_new_directory_is_private(tmp_path: Path) -> None:
    path = open_data_dir(tmp_path / "a" / "b")

    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_directory_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)

    assert open_data_dir(tmp_path) == tmp_path
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o750


@pytest.mark.parametrize("below", ["", "data"])
def test_a_file_in_its_place_is_no_directory(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / below

    with pytest.raises(Unusable) as refused:
        open_data_dir(path)

    assert str(refused.value).startswith(f"Cannot make the data directory {path}: ")
    assert str(refused.value).endswith("Choose another one with --data-dir.")


def test_a_directory_is_used_by_one_process_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert another_process_tries(tmp_path) == (
            f"The data directory {tmp_path} is in use by another chatd (process {os.getpid()}). "
            "Stop that one, or choose another directory with --data-dir."
        )

    assert another_process_tries(tmp_path) == "locked"


def test_a_lock_of_a_dead_process_holds_no_other_up(tmp_path: Path) -> None:
    (tmp_path / "chatd.lock").write_text("4194303 and a long text of no meaning")

    with locked(tmp_path):
        assert (tmp_path / "chatd.lock").read_text() == str(os.getpid())


def test_a_database_elsewhere_is_used_by_one_process_at_a_time(tmp_path: Path) -> None:
    mine, theirs, database = tmp_path / "mine", tmp_path / "theirs", tmp_path / "shared.db"
    mine.mkdir()
    theirs.mkdir()

    with locked(mine, database):
        assert f"The database {database} is in use" in another_process_tries(theirs, database)
        assert another_process_tries(theirs, tmp_path / "other.db") == "locked"


def test_a_database_in_the_directory_of_one_server_is_not_used_by_another(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    database = theirs / "chatd.db"

    with locked(mine, database):
        assert f"The database {database} is in use" in another_process_tries(theirs, database)
    with locked(theirs, database):
        assert f"The database {database} is in use" in another_process_tries(mine, database)


@pytest.mark.parametrize("exists", [True, False])
def test_a_database_is_the_same_by_whatever_link_it_is_reached(tmp_path: Path, *, exists: bool) -> None:
    mine, theirs, links = tmp_path / "mine", tmp_path / "theirs", tmp_path / "links"
    for each in (mine, theirs, links):
        each.mkdir()
    database = tmp_path / "chatd.db"
    if exists:
        database.touch()
    (links / "file.db").symlink_to(database)
    (links / "folder").symlink_to(tmp_path)

    with locked(mine, database):
        for link in (links / "file.db", links / "folder" / "chatd.db"):
            assert f"The database {link} is in use" in another_process_tries(theirs, link)


def test_a_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "chatd.lock").mkdir()

    with pytest.raises(Unusable, match=r"Cannot open the lock file .*chatd\.lock"), locked(tmp_path):
        pass
