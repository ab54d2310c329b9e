import os
from pathlib import Path

import pytest

from chatd.domain.approvals.rule import Touches
from chatd.domain.part import Json
from chatd.tools.files.find_files import BYTES_MAX, MORE, NOTHING, NOTHING_AT_ALL, TIME_OVER
from chatd.workspaces.local.files.threads import Threads
from tests.tools.files.desk import FileDesk, OutOfTime
from tests.workspaces.trees import needs_ripgrep

pytestmark = needs_ripgrep


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


@pytest.fixture
def tree(desk: FileDesk) -> FileDesk:
    make(desk.root, "a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".hidden/e.py", "build/f.py")
    (desk.root / ".gitignore").write_text("build/\n")
    return desk


@pytest.mark.parametrize(
    ("asked", "paths"),
    [
        ({"pattern": "*.py"}, [".hidden/e.py", "a.py", "src/b.py", "src/deep/c.py"]),
        ({"pattern": "src/*.py"}, ["src/b.py"]),
        ({"pattern": "src/**/*.{py,ts}"}, ["src/b.py", "src/d.ts", "src/deep/c.py"]),
        ({"pattern": "*.py", "path": "src"}, ["src/b.py", "src/deep/c.py"]),
        ({"path": "src/deep"}, ["src/deep/c.py"]),
        ({"pattern": "[ab].py"}, ["a.py", "src/b.py"]),
        ({"pattern": "f.py", "include_ignored": True}, ["build/f.py"]),
    ],
)
async def test_files_are_found_by_name_and_by_path(
    tree: FileDesk, asked: dict[str, Json], paths: list[str]
) -> None:
    assert await tree.told("find_files", **asked) == {"paths": paths}


async def test_an_absolute_path_inside_of_the_workspace_can_be_looked_in(tree: FileDesk) -> None:
    assert await tree.told("find_files", path=f"{tree.root}/src/deep") == {"paths": ["src/deep/c.py"]}


async def test_nothing_found_says_what_was_left_out(tree: FileDesk) -> None:
    assert await tree.told("find_files", pattern="f.py") == {"paths": [], "note": NOTHING}
    assert await tree.told("find_files", pattern="x", include_ignored=True) == {
        "paths": [],
        "note": NOTHING_AT_ALL,
    }


async def test_more_than_fits_says_how_to_narrow(desk: FileDesk) -> None:
    make(desk.root, *(f"{n:03}-{'x' * 200}" for n in range(300)))

    few = await desk.told("find_files", limit=3)
    large = await desk.told("find_files", limit=300)

    assert (len(few["paths"]), few["note"]) == (3, MORE)
    assert (sum(len(path) + 1 for path in large["paths"]) <= BYTES_MAX, large["note"]) == (True, MORE)


async def test_a_search_that_takes_too_long_is_told(tree: FileDesk) -> None:
    threads = Threads(inline=True)
    slow = FileDesk(OutOfTime(tree.root, threads), tree.root)

    assert (await slow.told("find_files"))["note"] == TIME_OVER


async def test_what_cannot_be_looked_for_says_why(tree: FileDesk) -> None:
    assert "leads out of" in await tree.error("find_files", path="../outside")
    assert "There is no file nowhere" in await tree.error("find_files", path="nowhere")
    assert "A pattern has 1 to" in await tree.error("find_files", pattern="x" * 5000)
    assert "Expected `int` <= 2000" in await tree.error("find_files", limit=100_000)


async def test_a_name_that_is_no_text_is_shown_as_well_as_it_can_be(desk: FileDesk) -> None:
    (Path(os.fsdecode(bytes(desk.root) + b"/\xff.py"))).touch()

    assert await desk.told("find_files", pattern="*.py") == {"paths": ["\ufffd.py"]}


def test_it_tells_where_it_looks(desk: FileDesk) -> None:
    assert desk.touches("find_files") == Touches(reads=(".",))
    assert desk.touches("find_files", path="src") == Touches(reads=("src",))
