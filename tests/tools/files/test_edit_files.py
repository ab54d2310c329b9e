import pytest

from chatd.domain.approvals.rule import Touches
from chatd.domain.call import Effect
from chatd.domain.part import Json
from chatd.tools.files.diffs import DIFF_CHARACTERS_MAX, REST_LEFT_OUT
from chatd.tools.files.edit_files import edit_files
from chatd.workspaces.files import EDIT_FILES_MAX, EDITS_MAX
from tests.tools.files.desk import FileDesk
from tests.traceability import proves
from tests.workspaces.trees import file_size_limit, names_in


def edit(old: str, new: str, **more: bool) -> dict[str, Json]:
    return {"old_text": old, "new_text": new, **more}


def file(path: str, *edits: Json) -> dict[str, Json]:
    return {"path": path, "edits": [*edits]}


@pytest.fixture
def two(desk: FileDesk) -> FileDesk:
    (desk.root / "a").write_text("one\ntwo\n")
    (desk.root / "b").write_text("three\n")
    return desk


def contents(desk: FileDesk) -> dict[str, str]:
    return {name: (desk.root / name).read_text() for name in names_in(desk.root)}


UNCHANGED = {"a": "one\ntwo\n", "b": "three\n"}


async def test_several_files_are_edited_together_and_each_has_its_diff(two: FileDesk) -> None:
    asked = [file("a", edit("one", "1"), edit("1\ntwo", "2")), file("b", edit("three", "3"))]

    told = await two.told("edit_files", files=asked)

    assert told == {
        "ok": True,
        "files": [
            {"path": "a", "diff": "--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n-one\n-two\n+2\n"},
            {"path": "b", "diff": "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-three\n+3\n"},
        ],
    }
    assert contents(two) == {"a": "2\n", "b": "3\n"}


@proves("tools", 38)
async def test_if_one_edit_does_not_match_nothing_changes_and_it_is_named(two: FileDesk) -> None:
    words = await two.error(
        "edit_files", files=[file("a", edit("one", "1")), file("b", edit("three", "3"), edit("four", "4"))]
    )

    assert words.startswith("files[1] (b): edits[1]: old_text was not found.")
    assert words.endswith("Nothing was changed.")
    assert contents(two) == UNCHANGED


@proves("tools", 39)
async def test_a_text_that_is_there_twice_needs_replace_all(desk: FileDesk) -> None:
    (desk.root / "a").write_text("x\nx\n")

    words = await desk.error("edit_files", files=[file("a", edit("x", "y"))])
    await desk.told("edit_files", files=[file("a", edit("x", "y", replace_all=True))])

    assert "old_text is there 2 times, on lines 1, 2." in words
    assert contents(desk) == {"a": "y\ny\n"}


@proves("tools", 43)
async def test_one_file_by_two_names_is_refused(two: FileDesk) -> None:
    (two.root / "link").symlink_to("a")

    words = await two.error("edit_files", files=[file("a", edit("one", "1")), file("link", edit("two", "2"))])

    assert words.startswith("files[1] (link): it is the same file as a.")
    assert contents(two) == {**UNCHANGED, "link": UNCHANGED["a"]}


async def test_through_a_link_nothing_is_edited_that_the_rules_protect(two: FileDesk) -> None:
    (two.root / "link").symlink_to("b")
    two.forbidden = frozenset({"b"})

    words = await two.error(
        "edit_files", files=[file("a", edit("one", "1")), file("link", edit("three", "3"))]
    )

    assert words == "link leads to b, which the rules do not allow."
    assert contents(two) == {**UNCHANGED, "link": UNCHANGED["b"]}


@proves("tools", 44)
async def test_the_deprecated_names_are_known_exactly_as_they_were(two: FileDesk) -> None:
    await two.told("edit_files", files=[file("a", {"search": "one", "replace": "1"})])
    words = await two.error("edit_files", files=[file("b", {"Search": "three", "Replace": "3"})])

    assert contents(two) == {"a": "1\ntwo\n", "b": "three\n"}
    assert "files[0].edits[0]: " in words
    assert "old_text" in words


async def test_a_deprecated_name_counts_only_where_the_new_one_is_empty(two: FileDesk) -> None:
    both = {"old_text": "one", "new_text": "", "search": "two", "replace": "1"}

    await two.told("edit_files", files=[file("a", both)])

    assert contents(two)["a"] == "1\ntwo\n"


def test_models_are_not_told_of_the_deprecated_names() -> None:
    shape = edit_files.arguments.schema["properties"]["files"]["items"]["properties"]["edits"]["items"]

    assert list(shape["properties"]) == ["old_text", "new_text", "replace_all"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "length >= 1"),
        ([file("a", edit("one", "1")), file("b")], "files[1]: Expected `array` of length >= 1"),
        ([file("a", edit("one", "1")), {"edits": [edit("a", "b")]}], "files[1]: Object missing required"),
        ([file("a", edit("one", "1"), {"old_text": "two"})], "files[0].edits[1]: Object missing required"),
        ([file("a", edit("", "1"))], "files[0] (a): edits[0]: old_text is empty"),
        ([file("", edit("a", "b"))], "files[0] (): A path has at least one character"),
        ([file("a", *[edit("one", "1")] * (EDITS_MAX + 1))], "files[0]: Expected `array` of length <= 500"),
        ([file("a", edit("one", "1"))] * (EDIT_FILES_MAX + 1), "length <= 50"),
        ("a", "Expected `array`, got `str`"),
        ([[]], "files[0]: Expected `object`, got `array`"),
        ([file("a", {"Old_Text": "a", "new_text": "b"})], "`Old_Text` is ambiguous"),
    ],
)
async def test_what_does_not_fit_is_named_by_its_index(two: FileDesk, files: Json, words: str) -> None:
    assert words in await two.error("edit_files", files=files)
    assert contents(two) == UNCHANGED


async def test_a_write_that_fails_half_way_says_what_state_each_file_is_in(two: FileDesk) -> None:
    with file_size_limit(100_000):
        words = await two.error(
            "edit_files", files=[file("a", edit("one", "1")), file("b", edit("three", "3" * 200_000))]
        )

    assert words.startswith("b was not written: the system allows no file of this size.")
    assert words.endswith("Files that had been written were restored: a. Nothing was changed.")
    assert contents(two) == UNCHANGED


async def test_the_diffs_of_all_files_have_one_bound(desk: FileDesk) -> None:
    for name in "abc":
        (desk.root / name).write_text("x\n" * 10_000)
    asked = [file(name, edit("x", "y", replace_all=True)) for name in "abc"]

    told = await desk.told("edit_files", files=asked)

    diffs = [each["diff"] for each in told["files"]]
    assert sum(map(len, diffs)) <= DIFF_CHARACTERS_MAX + 3 * len(REST_LEFT_OUT)
    assert diffs[1:] == [REST_LEFT_OUT, REST_LEFT_OUT]


async def test_a_person_who_is_asked_sees_all_diffs_or_why_it_would_fail(two: FileDesk) -> None:
    fits = [file("a", edit("one", "1")), file("b", edit("three", "3"))]

    shown = await two.preview("edit_files", files=fits)
    fails = await two.preview("edit_files", files=[file("a", edit("four", "4"))])
    same = await two.preview("edit_files", files=[file("a", edit("one", "one"))])

    assert [line for line in shown.splitlines() if line[0] in "+-"] == [
        "--- a/a", "+++ b/a", "-one", "+1", "--- a/b", "+++ b/b", "-three", "+3",
    ]  # fmt: skip
    assert fails.startswith("files[0] (a): edits[0]: old_text was not found.")
    assert same == "It changes nothing."
    assert contents(two) == UNCHANGED


def test_it_tells_what_it_writes_and_is_run_once(desk: FileDesk) -> None:
    one = edit("x", "y")

    assert desk.touches("edit_files", files=[file("a", one), file("b", one), file("a", one)]) == Touches(
        writes=("a", "b")
    )
    assert edit_files.effect is Effect.ONCE
