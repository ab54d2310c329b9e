import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.edits.apply import apply_edits
from chatd.workspaces.edits.diff import DIFF_CHARACTERS_MAX, diff_of_texts, unified_diff
from chatd.workspaces.files import TextEdit

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def diff_of(before: str, *edits: TextEdit) -> str:
    edited = apply_edits(before, edits)
    return unified_diff("f", before, edited.text, edited.spans)


def edit(old: str, new: str, *, replace_all: bool = False) -> TextEdit:
    return TextEdit(old_text=old, new_text=new, replace_all=replace_all)


def patched(before: str, diff: str) -> str:
    """What the `patch` program would make of it."""
    old = before.splitlines(keepends=True)
    new: list[str] = []
    position = 0
    for line in re.split(r"(?<=\n)(?=[-+ @])", diff)[2:]:
        line = line.removesuffix("\n\\ No newline at end of file\n")  # noqa: PLW2901
        if hunk := HUNK.fullmatch(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            start -= 1 if count else 0
            new += old[position:start]
            position = start
            assert len(new) == int(hunk[3]) - (1 if int(hunk[4] or 1) else 0)
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[position] == line[1:]
            new += [old[position]] if line[0] == " " else []
            position += 1
    return "".join([*new, *old[position:]])


LINE = st.sampled_from(["a", "b", "c", "ab", "", "x y"])


@st.composite
def edits_of(draw: st.DrawFn) -> tuple[str, Sequence[TextEdit]]:
    text = "\n".join(draw(st.lists(LINE, min_size=1, max_size=30))) + draw(st.sampled_from(["", "\n"]))
    current, made = text, []
    for _ in range(draw(st.integers(1, 5))):
        if not current:
            break
        start = draw(st.integers(0, len(current) - 1))
        old = current[start : start + draw(st.integers(1, 12))]
        each = edit(old, draw(st.text(alphabet="ab\n", max_size=8)), replace_all=True)
        made.append(each)
        current = apply_edits(current, [each]).text
    return text, made


@given(edits_of())
def test_a_diff_applied_to_the_text_before_gives_the_text_after(story: tuple[str, list[TextEdit]]) -> None:
    before, edits = story

    assert patched(before, diff_of(before, *edits)) == apply_edits(before, edits).text


@given(st.text(alphabet="ab\n", max_size=40), st.text(alphabet="ab\n", max_size=40))
def test_a_diff_of_any_two_texts_turns_one_into_the_other(before: str, after: str) -> None:
    assert patched(before, diff_of_texts("f", before, after)) == after


def test_two_changes_far_apart_in_two_long_texts_are_found() -> None:
    lines = [f"{n}\n" for n in range(1900)]
    changed = ["zero\n", *lines[1:-1], "last\n"]

    diff = diff_of_texts("f", "".join(lines), "".join(changed))

    assert [line for line in diff.splitlines()[2:] if line[0] in "+-"] == ["-0", "+zero", "-1899", "+last"]


def test_texts_that_would_take_long_to_compare_are_shown_as_removed_and_added() -> None:
    alike = diff_of_texts("f", "b\n" + "a\n" * 1000, "c\n" + "a\n" * 900 + "c\n")
    long = diff_of_texts(
        "f", "".join(f"{n}\n" for n in range(2500)), "".join(f"{n}\n" for n in range(1, 2502))
    )

    assert (alike.count("\n-"), alike.count("\n+")) == (1001, 903)
    assert long.count("\n-") == 2500


def test_edits_can_be_stopped_between_two_of_them() -> None:
    class Enough(Exception):
        pass

    made = 0

    def count() -> None:
        nonlocal made
        made += 1
        if made > 2:
            raise Enough

    with pytest.raises(Enough):
        apply_edits(
            "aaaa", [edit("a", "b", replace_all=True)] + [edit("b", "b", replace_all=True)] * 9, between=count
        )
    assert made == 3


def test_a_diff_has_three_lines_of_context() -> None:
    text = "".join(f"{n}\n" for n in range(1, 10))

    assert diff_of(text, edit("5\n", "five\n")) == (
        "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    )


def test_places_far_apart_are_hunks_of_their_own() -> None:
    text = "".join(f"{n}\n" for n in range(1, 40))

    assert len(HUNK.findall(diff_of(text, edit("\n5\n", "\nfive\n"), edit("30", "thirty")))) == 2


def test_an_edit_that_changes_nothing_has_no_diff() -> None:
    assert diff_of("a\nb\n", edit("a", "c"), edit("c", "a")) == ""


def test_only_the_lines_that_differ_are_shown_as_changed() -> None:
    diff = diff_of("a\nb\nc\nd\n", edit("a\nb\nc\nd", "a\nb\nx\nd"))

    assert [line for line in diff.splitlines()[2:] if line[0] in "+-"] == ["-c", "+x"]


def test_a_long_diff_and_a_long_line_are_cut() -> None:
    long = diff_of("a\n" * 50_000, edit("a", "b", replace_all=True))
    wide = diff_of("x" * 5000, edit("x", "y", replace_all=True))

    assert len(long) < DIFF_CHARACTERS_MAX + 200
    assert long.endswith("left out: it is too long.]\n")
    assert "[… 4000 characters more]" in wide


def test_a_missing_line_ending_is_said() -> None:
    assert diff_of("a", edit("a", "b")) == (
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )
