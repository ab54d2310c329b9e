"""What the house rules look at: the files of this repository, and the tables in its pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "chatd"

_ROW = re.compile(r"^\| `(?P<word>[^`]+)` \|", re.MULTILINE)


def kept_files() -> list[Path]:
    """Every file that is in the repository or about to be, and none that an ignore file names."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout, so it cannot be said which files are kept")
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file()]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rows_of(page: str) -> list[str]:
    """The first cell of every table row that begins with a name in backticks."""
    return [match["word"] for match in _ROW.finditer(read(page))]
