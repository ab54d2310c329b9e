"""Words to search by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.kit.words import (
    INDEXED_CHARACTERS_MAX,
    SNIPPET_CHARACTERS,
    WORD_CHARACTERS_MAX,
    Term,
    snippet,
    terms_of,
    words_of,
)


def finds(query: str, text: str) -> bool:
    words = words_of(text)
    return all(
        any(word.startswith(term.word) for word in words) if term.is_beginning else term.word in words
        for term in terms_of(query)
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("deploy", "We DEPLOY on Friday."),
        ("friday deploy", "We deploy on Friday."),
        ("creme brulee", "Crème brûlée, please"),
        ("crème", "CREME"),
        ("strasse", "Die Straße"),
        ("файл", "Открой ФАЙЛ"),
        ("東京", "私は東京都に住む"),
        ("都", "私は東京都"),
        ("서울", "서울에서 만나요"),
        ("ไทย", "ภาษาไทยง่าย"),
        ("snake case", "a snake_case name"),
        ("api v1 chats", "GET /api/v1/chats?q="),
    ],
)
def test_case_accents_and_missing_spaces_do_not_hide_a_word(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("deploy", "deployment"), ("京東", "東京都"), ("one three", "one two")]
)
def test_what_is_not_there_is_not_found(query: str, text: str) -> None:
    assert not finds(query, text)


def test_only_the_beginning_of_a_long_text_has_words() -> None:
    text = "a " * (INDEXED_CHARACTERS_MAX // 2) + "needle"

    assert words_of(text) == ["a"]


def test_a_word_without_end_is_cut_in_the_text_and_in_the_query() -> None:
    assert words_of("x" * 1000) == ["x" * WORD_CHARACTERS_MAX]
    assert terms_of("x" * 1000) == [Term("x" * WORD_CHARACTERS_MAX)]


@given(st.text())
def test_words_have_letters_and_digits_alone(text: str) -> None:
    for word in words_of(text) + [term.word for term in terms_of(text)]:
        assert word.isalnum()
        assert word.encode()


@given(st.text(min_size=1))
def test_every_text_is_found_by_itself(text: str) -> None:
    assert finds(text, text)


def test_a_snippet_shows_the_text_around_the_first_word_that_was_found() -> None:
    text = "word " * 50 + "Here is the\nNÉEDLE in the hay. " + "more " * 50

    shown = snippet(text, terms_of("needle"))

    assert "Here is the NÉEDLE in the hay." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= SNIPPET_CHARACTERS + 2


@given(st.text(), st.text())
def test_a_snippet_is_one_bounded_line_whatever_is_looked_for(text: str, query: str) -> None:
    shown = snippet(text, terms_of(query))

    assert "\n" not in shown
    assert len(shown) <= SNIPPET_CHARACTERS + 2
