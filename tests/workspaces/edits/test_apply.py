import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.edits.apply import HITS_MAX, EditError, apply_edits
from chatd.workspaces.files import EDIT_BYTES_MAX, TextEdit
from tests.traceability import proves


def edit(old: str, new: str, *, replace_all: bool = False) -> TextEdit:
    return TextEdit(old_text=old, new_text=new, replace_all=replace_all)


def edited(text: str, *edits: TextEdit) -> str:
    return apply_edits(text, edits).text


def refused(text: str, *edits: TextEdit) -> str:
    with pytest.raises(EditError) as error:
        apply_edits(text, edits)
    return str(error.value)


WORDS = st.text(alphabet="ab \n", max_size=40)


@given(text=WORDS, old=WORDS.filter(bool), new=WORDS)
def test_an_exact_match_of_all_places_is_str_replace(text: str, old: str, new: str) -> None:
    if old in text and "\n " not in f"\n{text}":
        assert edited(text, edit(old, new, replace_all=True)) == text.replace(old, new)


@given(
    lines=st.lists(st.text(alphabet="xy \t", max_size=6), min_size=2, max_size=12),
    begin=st.integers(0, 11),
    count=st.integers(1, 4),
    new=WORDS,
)
@proves("tools", 40)
def test_a_file_of_crlf_stays_one_whatever_is_edited(
    lines: list[str], begin: int, count: int, new: str
) -> None:
    old = "\n".join(lines[begin : begin + count])
    if not old.strip():
        return

    after = edited("\r\n".join(lines) + "\r\n", edit(old, new, replace_all=True))

    assert after.count("\n") == after.count("\r\n") == after.count("\r")


@given(
    lines=st.lists(st.text(alphabet="xyz", min_size=1, max_size=5), min_size=3, max_size=9, unique=True),
    white=st.sampled_from(["", " ", "  ", "\t", " \t "]),
    other=st.sampled_from(["", " ", "    ", "\t\t"]),
)
def test_white_space_around_lines_does_not_hide_them_and_stays_as_it_is(
    lines: list[str], white: str, other: str
) -> None:
    text = "".join(f"{white}{line}{white}\n" for line in lines)
    old = "".join(f"{other}{line}\n" for line in lines[:2])
    new = f"{other}{lines[0]}\n{other}new\n{other}{lines[1]}\n"

    after = edited(text, edit(old, new)).split("\n")

    assert (after[0], after[2]) == (f"{white}{lines[0]}{white}", f"{white}{lines[1]}{white}")
    assert after[1].strip() == "new"
    assert after[3:] == text.split("\n")[2:]


def test_edits_apply_in_order_each_to_the_result_of_the_one_before() -> None:
    assert edited("one", edit("one", "two"), edit("two", "three")) == "three"


@proves("tools", 39)
def test_a_text_that_is_there_twice_is_ambiguous_unless_all_are_meant() -> None:
    text = "a\nb\na\n"

    assert "is there 2 times, on lines 1, 3. Quote more" in refused(text, edit("a", "c"))
    assert edited(text, edit("a", "c", replace_all=True)) == "c\nb\nc\n"


def test_many_places_are_counted_and_the_first_are_named() -> None:
    words = refused("a\n" * 9, edit("a", "b"))

    assert "9 times, on lines 1, 2, 3, 4, 5 and more" in words


def test_an_empty_old_text_is_refused() -> None:
    assert refused("a", edit("", "b")).startswith("edits[0]: old_text is empty.")


def test_an_error_names_the_edit_by_its_index() -> None:
    assert refused("a", edit("a", "b"), edit("c", "d")).startswith("edits[1]: ")


def test_the_first_pass_that_matches_wins() -> None:
    text = "  a\na \n"

    assert edited(text, edit("a \n", "b\n")) == "  a\nb\n"


def test_blank_lines_match_only_exactly() -> None:
    assert "not found" in refused("a\n\nb\n", edit("   \n", "x\n"))


def test_line_endings_of_an_edit_do_not_matter() -> None:
    assert edited("a\nb\n", edit("a\r\nb", "c\r\nd")) == "c\nd\n"


def test_in_a_mixed_file_lines_that_are_not_edited_keep_their_endings() -> None:
    assert edited("a\r\nb\r\nc\nd\r\n", edit("c\n", "x\ny\n")) == "a\r\nb\r\nx\r\ny\r\nd\r\n"


def test_half_of_a_line_ending_is_never_replaced() -> None:
    text = "a\r\nb\r\n"

    assert edited(text, edit("\n", "\n\n", replace_all=True)) == "a\r\n\r\nb\r\n\r\n"
    assert "not found" in refused(text, edit("a\rb", "c"))


@proves("tools", 41)
def test_lines_that_are_inserted_in_a_file_of_tabs_get_tabs() -> None:
    text = "def f():\n\tif x:\n\t\treturn 1\n"

    indented = edited(
        text, edit("    if x:\n        return 1\n", "    if x:\n        y = 2\n        return 1\n")
    )
    from_the_left = edited(text, edit("def f():\n", "def f():\n    y = 2\n"))

    assert indented == "def f():\n\tif x:\n\t\ty = 2\n\t\treturn 1\n"
    assert from_the_left == "def f():\n\ty = 2\n\tif x:\n\t\treturn 1\n"


def test_lines_that_are_inserted_get_the_indentation_of_their_neighbours() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"

    after = edited(
        text, edit("def f(self):\n    return 1", "def f(self):\n    x = 1\n    if x:\n        return 2")
    )

    assert after == "class A:\n    def f(self):\n        x = 1\n        if x:\n            return 2\n"


def test_a_file_of_two_spaces_gets_two_for_each_level() -> None:
    text = "a:\n  b:\n    c: 1\n"

    after = edited(text, edit("\tb:\n\t\tc: 1", "\tb:\n\t\tc: 1\n\t\td:\n\t\t\te: 2"))

    assert after == "a:\n  b:\n    c: 1\n    d:\n      e: 2\n"


def test_an_indentation_that_the_edit_changes_is_changed() -> None:
    text = "\tif x:\n\t\ta()\n"

    assert edited(text, edit("    if x:\n        a()", "    a()")) == "\ta()\n"


def test_spaces_at_a_place_that_has_spaces_stay_spaces_in_a_file_of_tabs() -> None:
    text = "func f() {\n\tx := `\n  a: 1\n`\n\treturn\n}\n"

    assert "\n  a: 1\n  b: 2\n" in edited(text, edit("  a: 1\n", "  a: 1\n  b: 2\n"))


def test_lines_can_be_deleted_where_white_space_differs() -> None:
    assert edited("a\n  b  \nc\n", edit("b\n", "")) == "a\nc\n"
    assert edited("a\n  b  \n  c\nd\n", edit("b\nc\n", "")) == "a\nd\n"


def test_the_last_line_of_a_file_may_lack_its_ending() -> None:
    assert edited("a\n  b\n  c", edit("b\nc\n", "b\nd\n")) == "a\n  b\n  d"


@proves("tools", 42)
def test_swapped_texts_are_suspected() -> None:
    words = refused("the new words\n", edit("what was there", "the new words"))

    assert "new_text is already there" in words


def test_what_almost_matched_is_shown_before_swapped_texts_are_suspected() -> None:
    text = "alpha\nbeta\ngamma\ndelta\nnew\n"

    words = refused(text, edit("alpha\nbetta\ngamma\ndelta", "new"))

    assert words == (
        "edits[0]: old_text was not found. It almost matched at line 1, but line 2 is `beta`, not `betta`."
    )


def test_at_most_five_lines_that_differ_are_listed() -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    old = "".join(f"line {n}{'!' if n >= 12 else ''}\n" for n in range(20))

    words = refused(text, edit(old, "x"))

    assert words.count(" is `line ") == 5
    assert words.endswith("; and 3 more.")


def test_one_line_with_a_slip_is_found() -> None:
    assert "line 2 is `return totals`, not `return total_s`" in refused(
        "x = 1\n    return totals\n", edit("return total_s", "x")
    )


def test_what_is_nowhere_has_no_hint() -> None:
    assert refused("abc\n", edit("something else", "x")).endswith("quote it exactly.")


def test_a_replacement_that_would_fill_the_memory_is_refused() -> None:
    assert "larger than 8 MiB" in refused("a" * 50_000, edit("a", "b" * 1000, replace_all=True))
    assert "more than 100000 times" in refused("a" * (HITS_MAX + 1), edit("a", "b", replace_all=True))
    assert EDIT_BYTES_MAX == 8 * 2**20


def test_lines_that_repeat_without_end_take_linear_time() -> None:
    text = "x \n" * 200_000

    assert "not found" in refused(text, edit("x\n" * 20_000 + "y\n", "z"))
