import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from chatd.workspaces.files import FileError, Problem
from chatd.workspaces.local.files.confined import Root
from chatd.workspaces.local.files.openat2 import open_beneath
from chatd.workspaces.local.files.reading import read_range
from chatd.workspaces.local.files.threads import Stop
from chatd.workspaces.local.files.writing import write_file
from tests.workspaces.trees import names_in, open_files, swapping


@pytest.fixture
def root(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    root = tmp_path / "root"
    (root / "inside").mkdir(parents=True)
    (root / "inside" / "file").write_text("ours")
    (root / "link").symlink_to(outside)
    return root


def test_a_directory_that_is_swapped_for_a_link_leads_nowhere_else(root: Path) -> None:
    confined = Root(root)
    seen: set[bytes | Problem] = set()

    with swapping(root / "inside", root / "link"):
        for _ in range(3000):
            try:
                seen.add(read_range(confined, "inside/file", 0, 100, Stop()).data)
            except FileError as error:
                seen.add(error.problem)

    assert b"secret" not in seen
    assert b"ours" in seen


def test_a_write_through_a_directory_that_is_swapped_stays_inside(root: Path) -> None:
    confined = Root(root)

    with swapping(root / "inside", root / "link"):
        for number in range(300):
            with suppress(FileError):
                write_file(confined, "inside/new/file", str(number).encode(), Stop())

    assert names_in(root.parent / "outside") == ["file"]
    assert (root.parent / "outside" / "file").read_text() == "secret"


@pytest.mark.parametrize(
    ("path", "number"), [("..", errno.EXDEV), ("link", errno.ELOOP), ("no", errno.ENOENT)]
)
def test_the_kernel_refuses_what_leads_elsewhere(root: Path, path: str, number: int) -> None:
    fd = os.open(root, os.O_RDONLY)
    try:
        with pytest.raises(OSError) as error:  # noqa: PT011
            open_beneath(fd, path, os.O_PATH)
    finally:
        os.close(fd)

    # A kernel before 5.6 has no such call; then every path is walked.
    assert error.value.errno in (number, errno.ENOSYS)


def test_nothing_stays_open(root: Path) -> None:
    confined = Root(root)
    before = open_files()

    for path in ("inside/file", "link/file", "inside/../inside/file", "nothing/here", "inside"):
        with suppress(FileError):
            read_range(confined, path, 0, 10, Stop())
        with suppress(FileError):
            write_file(confined, path, b"x", Stop())

    assert open_files() == before
