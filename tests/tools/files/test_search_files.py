import pytest

from chatd.domain.approvals.rule import Touches
from chatd.domain.part import Json
from chatd.tools.files.search_files import BYTES_MAX, MORE, NOTHING, NOTHING_AT_ALL, TIME_OVER
from chatd.workspaces.local.files.threads import Threads
from tests.tools.files.desk import FileDesk, OutOfTime
from tests.workspaces.trees import needs_ripgrep

pytestmark = needs_ripgrep


@pytest.fixture
def tree(desk: FileDesk) -> FileDesk:
    (desk.root / "src").mkdir()
    (desk.root / "a.py").write_text("import os\n\ndef f(x):\n    return x\n")
    (desk.root / "src" / "b.ts").write_text("function f(x) {}\nF(X)\n")
    (desk.root / "ignored").write_text("f(x)\n")
    (desk.root / "binary").write_bytes(b"\0f(x)\n")
    (desk.root / ".gitignore").write_text("ignored\n")
    return desk


A = {"path": "a.py", "lines": "3:def f(x):"}
B = {"path": "src/b.ts", "lines": "1:function f(x) {}"}


@pytest.mark.parametrize(
    ("asked", "matches", "files"),
    [
        ({"pattern": r"f\(x\)"}, 2, [A, B]),
        ({"pattern": "f(x)", "literal": True}, 2, [A, B]),
        ({"pattern": "f(x)", "literal": True, "glob": "*.py"}, 1, [A]),
        ({"pattern": "f(x)", "literal": True, "path": "src"}, 1, [B]),
        ({"pattern": "f(x)", "literal": True, "path": "a.py"}, 1, [A]),
        (
            {"pattern": "f(x)", "literal": True, "ignore_case": True, "path": "src"},
            2,
            [{"path": "src/b.ts", "lines": "1:function f(x) {}\n2:F(X)"}],
        ),
        (
            {"pattern": "def", "context_lines": 1},
            1,
            [{"path": "a.py", "lines": "2-\n3:def f(x):\n4-    return x"}],
        ),
        (
            {"pattern": "^f", "include_ignored": True, "path": "ignored"},
            1,
            [{"path": "ignored", "lines": "1:f(x)"}],
        ),
    ],
)
async def test_lines_are_found_and_stand_below_their_file(
    tree: FileDesk, asked: dict[str, Json], matches: int, files: Json
) -> None:
    assert await tree.told("search_files", **asked) == {"matches": matches, "files": files}


async def test_files_that_the_rules_protect_are_left_out_without_a_word(tree: FileDesk) -> None:
    tree.forbidden = frozenset({"a.py"})

    assert await tree.told("search_files", pattern=r"f\(x\)") == {"matches": 1, "files": [B]}
    assert await tree.told("search_files", pattern="import", limit=1) == {
        "matches": 0,
        "files": [],
        "note": NOTHING,
    }


async def test_nothing_found_says_what_was_left_out(tree: FileDesk) -> None:
    found = {"matches": 0, "files": []}

    assert await tree.told("search_files", pattern="nowhere") == {**found, "note": NOTHING}
    assert await tree.told("search_files", pattern="nowhere", include_ignored=True) == {
        **found,
        "note": NOTHING_AT_ALL,
    }


async def test_more_than_fits_says_how_to_narrow(desk: FileDesk) -> None:
    (desk.root / "a").write_text("".join(f"{n} {'x' * 200}\n" for n in range(500)))

    few = await desk.told("search_files", pattern="x", limit=3)
    large = await desk.told("search_files", pattern="x", limit=500)

    assert (few["matches"], few["files"][0]["lines"].count("\n"), few["note"]) == (3, 2, MORE)
    assert len(large["files"][0]["lines"]) <= BYTES_MAX
    assert (large["matches"], large["note"]) == (large["files"][0]["lines"].count("\n") + 1, MORE)


async def test_a_search_that_takes_too_long_is_told(tree: FileDesk) -> None:
    threads = Threads(inline=True)
    slow = FileDesk(OutOfTime(tree.root, threads), tree.root)

    assert (await slow.told("search_files", pattern="f"))["note"] == TIME_OVER


async def test_what_cannot_be_searched_for_says_why(tree: FileDesk) -> None:
    assert "The pattern cannot be searched for" in await tree.error("search_files", pattern="f(")
    assert "look-around" in await tree.error("search_files", pattern="(?=f)")
    assert "leads out of" in await tree.error("search_files", pattern="f", path="..")
    assert "Expected `int` <= 10" in await tree.error("search_files", pattern="f", context_lines=11)


def test_it_tells_where_it_looks(desk: FileDesk) -> None:
    assert desk.touches("search_files", pattern="x") == Touches(reads=(".",))
    assert desk.touches("search_files", pattern="x", path="src") == Touches(reads=("src",))
