import stat
import subprocess
import sys
from pathlib import Path

import pytest

from chatd.storage.data_dir.announce import forget_address, write_address
from chatd.storage.data_dir.server_address import ADDRESS_FILE, read_address

ADDRESS = "http://127.0.0.1:4711"


def test_an_address_is_found_until_it_is_forgotten(tmp_path: Path) -> None:
    assert read_address(tmp_path) is None

    write_address(tmp_path, ADDRESS)
    assert read_address(tmp_path) == ADDRESS
    assert stat.S_IMODE((tmp_path / ADDRESS_FILE).stat().st_mode) == 0o600

    forget_address(tmp_path)
    assert read_address(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_server_left_behind_counts_for_nothing(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / ADDRESS_FILE).write_text(f"{ADDRESS}\n{gone.pid}\n")

    assert read_address(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", ADDRESS, f"{ADDRESS}\nx\n", f"{ADDRESS}\n0\n", f"{ADDRESS}\n-1\n", "\udcff"]
)
def test_a_file_that_makes_no_sense_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / ADDRESS_FILE).write_text(text, errors="surrogateescape")

    assert read_address(tmp_path) is None


def test_an_address_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    write_address(tmp_path / "gone", ADDRESS)
    forget_address(tmp_path / "gone")

    assert read_address(tmp_path / "gone") is None
    assert list(tmp_path.iterdir()) == []
