"""Rows that fit the screen: words come as they are spoken, and nothing is wider than the screen."""

import pytest
from prompt_toolkit.utils import get_cwidth

from chatd.cli.talk.drawing.glyphs import cells_of
from chatd.cli.talk.drawing.rows import Rows
from chatd.cli.talk.showing.pieces import Piece, Tone


def rows_of(*words: str, columns: int) -> tuple[list[str], str]:
    """The rows that are complete, and the open one."""
    rows = Rows(lambda: columns)
    complete = [row.text for each in words for row in rows.add(Piece(Tone.TEXT, each))]
    assert all(row.endswith("\n") for row in complete)
    return [row[:-1] for row in complete], rows.open_row


@pytest.mark.parametrize(
    ("words", "complete", "open_row"),
    [
        ("one two", [], "one two"),
        ("one two three", ["one two"], "three"),
        ("one twothr four", ["one twothr"], "four"),
        ("one two   three", ["one two"], "three"),
        ("onetwothreefour", ["onetwothre"], "efour"),
        ("one\ntwo\n", ["one", "two"], ""),
        ("one\n\ntwo", ["one", ""], "two"),
        ("a\tb c", ["a       b"], "c"),
        ("    indentedword", ["    indent"], "edword"),
    ],
)
def test_rows_end_between_words_where_they_can(words: str, complete: list[str], open_row: str) -> None:
    assert rows_of(words, columns=10) == (complete, open_row)
    assert rows_of(*words, columns=10) == (complete, open_row)


def test_a_wide_character_takes_two_cells() -> None:
    assert rows_of("日本語日本語", columns=5) == (["日本", "語日"], "本語")
    assert rows_of("ab 日本語", columns=7) == (["ab 日本"], "語")


def test_a_combining_character_takes_none_and_stays_with_its_letter() -> None:
    assert rows_of("e\u0301" * 6, columns=5) == (["e\u0301" * 5], "e\u0301")
    assert rows_of("日\u0301" * 3, columns=4) == (["日\u0301" * 2], "日\u0301")


def test_a_picture_of_joined_pictures_is_not_torn_apart() -> None:
    astronaut = "👩\u200d🚀"

    assert rows_of(f"日日{astronaut}", columns=6) == (["日日"], astronaut)


@pytest.mark.parametrize(
    "whole",
    [
        "🇩🇪",
        "👍🏽",
        "❤\ufe0f",
        "👩🏽\u200d🚀",
    ],
)
def test_what_is_one_picture_is_not_torn_apart_as_in_replies(whole: str) -> None:
    for before in ("日日日", "日日日x", "ab cdefg", "abcdefgh"):
        complete, open_row = rows_of(*f"{before}{whole}", columns=8)
        assert any(whole in row for row in (*complete, open_row)), (complete, open_row)
        assert all(cells_of(row) <= 8 for row in (*complete, open_row))


def test_flags_are_counted_in_pairs() -> None:
    flags = "🇩🇪🇫🇷🇮🇹"
    complete, open_row = rows_of(flags, columns=2 * cells_of("🇩🇪") + 1)

    assert (complete, open_row) == (["🇩🇪🇫🇷"], "🇮🇹")


def test_a_line_that_is_indented_far_fits_a_screen_that_becomes_narrow() -> None:
    columns = 60
    rows = Rows(lambda: columns)
    assert list(rows.add(Piece(Tone.NOTE, "  /approve chat always   " + "word " * 12)))
    columns = 6
    drawn = [row.text for row in rows.add(Piece(Tone.NOTE, "👩\u200d🚀 end\n"))]

    assert drawn[-1].strip() == "end"
    assert all(cells_of(row.rstrip("\n")) <= 6 for row in drawn)


def test_a_screen_of_another_width_is_heeded() -> None:
    columns = 20
    rows = Rows(lambda: columns)
    assert list(rows.add(Piece(Tone.TEXT, "one two three"))) == []
    columns = 8

    assert [row.text for row in rows.add(Piece(Tone.TEXT, " four"))] == ["one two\n", "three\n"]
    assert rows.open_row == "four"


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 40])
def test_no_row_is_wider_than_the_screen_and_no_word_is_lost(columns: int) -> None:
    words = "Ein Überblick: 日本語, e\u0301t ❤\ufe0f and 👩\u200d🚀 — " * 5

    complete, open_row = rows_of(*words, columns=columns)

    # A wide character on a screen of one column cannot fit.
    assert all(sum(map(get_cwidth, row)) <= max(2, columns) for row in (*complete, open_row))
    assert "".join((*complete, open_row)).replace(" ", "") == words.replace(" ", "")


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("  y  allow it in this chat of yours", ["  y  allow it in this", "     chat of yours"]),
        ("● $ make all the tests run now", ["● $ make all the tests", "    run now"]),
        ("> a message that is too long for it", ["> a message that is too", "  long for it"]),
        ("I am a sentence that goes on here", ["I am a sentence that", "goes on here"]),
    ],
)
def test_a_line_goes_on_below_its_first_word(line: str, rows: list[str]) -> None:
    drawn = Rows(lambda: 24).add(Piece(Tone.NOTE, f"{line}\n"))

    assert [row.text.rstrip("\n") for row in drawn] == rows


def test_a_blank_at_the_edge_makes_no_empty_row() -> None:
    drawn = Rows(lambda: 24).add(Piece(Tone.NOTE, "twenty-four characters!! \nmore\n"))

    assert [row.text for row in drawn] == ["twenty-four characters!!\n", "more\n"]
