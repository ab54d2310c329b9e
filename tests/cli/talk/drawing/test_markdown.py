"""Markdown in rows of a terminal, however it is cut into pieces."""

from hypothesis import given
from hypothesis import strategies as st

from chatd.cli.talk.drawing.glyphs import cells_of
from chatd.cli.talk.drawing.looks import Look, Row, Span, text_of
from chatd.cli.talk.drawing.markdown import Markdown

# Marks of every kind in every order, wide and combining characters among them.
WORDS = [
    "word",
    "a",
    "日本",
    "e\u0301",
    "👩\u200d🚀",
    "**",
    "*",
    "_",
    "__",
    "~~",
    "`",
    "```",
    "[a](b)",
    "[",
    "](",
    ")",
    "\\*",
    "🇩🇪",
    "👍🏽",
    "<https://x.example>",
    "<",
    "&amp;",
    "&",
]
STARTS = ["", "# ", "- ", "1. ", "> ", "| a | b |", "|---|---|", "```py", "---", "  - ", "    "]
STARTS += ["> > ", "> - ", "> # ", "|:-:|--:|", "                  - "]
TEXTS = st.lists(
    st.tuples(st.sampled_from(STARTS), st.lists(st.sampled_from(WORDS), max_size=12)), max_size=8
).map(lambda lines: "\n".join(start + " ".join(words) for start, words in lines))


def drawn(text: str, columns: int = 20, cuts: tuple[int, ...] = ()) -> list[Row]:
    markdown = Markdown(lambda: columns)
    rows: list[Row] = []
    for start, end in zip((0, *cuts), (*cuts, len(text)), strict=True):
        rows += markdown.add(text[start:end])
    return [*rows, *markdown.end()]


def texts(text: str, columns: int = 20) -> list[str]:
    return [text_of(row) for row in drawn(text, columns)]


@given(TEXTS, st.integers(4, 60), st.data())
def test_how_it_is_cut_into_pieces_changes_nothing(text: str, columns: int, data: st.DataObject) -> None:
    cuts = tuple(sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=30))))

    assert drawn(text, columns, cuts) == drawn(text, columns)


@given(TEXTS, st.integers(4, 60))
def test_no_row_is_wider_than_the_screen(text: str, columns: int) -> None:
    assert all(cells_of(text_of(row)) <= max(columns, 4) for row in drawn(text, columns))


def test_rows_end_between_words_and_lists_are_indented() -> None:
    assert texts("- one two three four five\n- six") == ["• one two three four", "  five", "• six"]


@given(st.data())
def test_words_of_a_long_heading_stay_apart_however_it_is_cut(data: st.DataObject) -> None:
    heading = "# A long heading that wraps ##"
    cuts = tuple(sorted(data.draw(st.sets(st.integers(0, len(heading)), max_size=4))))

    assert [text_of(row) for row in drawn(heading, 12, cuts)] == ["A long", "heading that", "wraps"]


def test_marks_become_looks() -> None:
    [row] = drawn("a **b** *c* `d` ~~e~~ \\*f\\*", 80)

    assert row == (
        Span("a "),
        Span("b", Look(bold=True)),
        Span(" "),
        Span("c", Look(italic=True)),
        Span(" "),
        Span("d", Look(colour="cyan")),
        Span(" "),
        Span("e", Look(strike=True)),
        Span(" *f*"),
    )


def test_a_mark_without_an_end_and_one_within_a_word_are_ordinary_characters() -> None:
    assert texts("2 * 3 ** 4 and snake_case_name", 80) == ["2 * 3 ** 4 and snake_case_name"]


def test_a_mark_that_is_cut_in_the_middle_is_none_before_its_end() -> None:
    for text in ("*one two three**", "`one two three```"):
        assert drawn(text, 8, (len(text) - 1,)) == drawn(text, 8)


def test_a_link_shows_where_it_leads() -> None:
    assert texts("see [here](https://x.example/y)", 80) == ["see here (https://x.example/y)"]


def test_an_address_in_brackets_is_a_link_and_entities_are_what_they_stand_for() -> None:
    [row] = drawn("<https://x.example> &lt;b&gt; &amp; AT&T", 80)

    assert row == (Span("https://x.example", Look(underline=True)), Span(" <b> & AT&T"))


def test_an_entity_cannot_command_the_terminal() -> None:
    assert all(text.isprintable() for text in texts("a&#27;[2J&#x9b;2J&#10;b&#7;", 80))


def test_quotations_within_quotations_and_what_they_quote_are_seen() -> None:
    assert texts("> one\n> > two\n> - three\n>> four") == ["▌ one", "▌ ▌ two", "▌ • three", "▌ ▌ four"]


def test_a_flag_and_a_colour_of_skin_are_not_torn_from_their_row() -> None:
    assert texts("aaaaa🇩🇪 bb👍🏽", 6) == ["aaaaa", "🇩🇪", "bb👍🏽"]


def test_columns_of_a_table_are_moved_to_the_side_that_they_name() -> None:
    table = "| n | Moon | size |\n|:-:|:---|---:|\n| a | Io | 3,643 |\n| bcd | Europa | 22 |\n"

    assert texts(table, 40) == [
        " n  │ Moon   │  size",
        "────┼────────┼──────",
        " a  │ Io     │ 3,643",
        "bcd │ Europa │    22",
    ]


def test_a_table_is_drawn_in_columns_that_fit() -> None:
    table = "| Name | Of |\n|---|---|\n| Io | Jupiter, the largest |\n"

    assert texts(table, 24) == [
        "Name │ Of",
        "─────┼──────────────────",
        "Io   │ Jupiter, the",
        "     │ largest",
    ]


def test_code_is_shown_line_by_line_with_its_blanks_and_its_colours() -> None:
    markdown = Markdown(lambda: 40)
    rows = list(markdown.add("```python\nif x:\n    return 1  # why\nhalf a li"))

    assert [text_of(row) for row in rows] == ["python", "if x:", "    return 1  # why"]
    assert Span("return", Look(colour="magenta")) in rows[2]
    assert [text_of(row) for row in markdown.open_rows()] == ["half a li"]


def test_what_is_not_settled_is_shown_as_it_looks_now_and_kept() -> None:
    markdown = Markdown(lambda: 20)
    rows = list(markdown.add("one two **three four five six"))

    assert rows == []
    assert [text_of(row) for row in markdown.open_rows()] == ["one two three four", "five six"]
    assert [text_of(row) for row in markdown.add("** seven")] == ["one two three four"]


def test_what_stands_behind_a_fence_is_cut_where_the_screen_ends() -> None:
    assert texts("```a-language-with-a-long-name\nx\n```", 10) == ["a-languag…", "x"]


def test_something_in_between_does_not_end_the_code() -> None:
    markdown = Markdown(lambda: 40)
    before = [text_of(row) for row in markdown.add("```\n**a")]
    between = [text_of(row) for row in markdown.break_line()]
    behind = [text_of(row) for row in markdown.add("**b\n```\n**c**\n")]

    assert (before, between, behind) == ([], ["**a"], ["**b", "", "c"])


def test_blank_lines_are_shown_once_and_only_between_others() -> None:
    assert texts("\n\na\n\n\n\nb\n\n") == ["a", "", "b"]


def test_a_very_long_line_of_marks_is_drawn_at_once() -> None:
    assert len(drawn("*a " * 200_000, 80)) == 7408
