import json

import pytest

from chatd.kit.text import is_plain, one_line, shortened, visible, visible_json


@pytest.mark.parametrize(
    "text", ["", "plain", "Zoë", "日本語", "non-breaking\xa0blank", "👩\u200d🚀", "\ue000 private", "שלום"]
)
def test_what_people_write_is_plain(text: str) -> None:
    assert is_plain(text)
    assert one_line(text).replace(" ", "") == text.replace("\xa0", "").replace(" ", "")


@pytest.mark.parametrize(
    "text", ["\0", "a\nb", "\x1b[31m", "\x7f", "\u2028", "\ud800", "\u202e", "\u200b", "\ufeff"]
)
def test_what_cannot_be_shown_on_a_line_is_not(text: str) -> None:
    assert not is_plain(text)
    assert is_plain(one_line(text))


def test_a_line_has_single_blanks() -> None:
    assert one_line("  a\t\tb\r\nc\0d  ") == "a b c d"


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert shortened("12345", 5) == "12345"
    assert shortened("123456", 5) == "1234…"
    assert shortened("123 456", 5) == "123…"


@pytest.mark.parametrize(
    "text", ["", "Zoë\tand\nזאב", "日本語", "👩\u200d🚀", "non-breaking\xa0blank", "\ue000"]
)
def test_what_people_write_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jred\x07", "[2Jred"),
        ("\x9b31mred\x7f", "31mred"),
        ("10%\r20%\r\n", "10%20%\n"),
        ("a\u202eb\u2066c\u2069\u200fd", "abcd"),
        ("hidden\u200b\U000e0041", "hidden"),
        ("two\u2028lines", "two\nlines"),
        ("half\ud800", "half"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_left_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_pieces_of_a_text_are_shown_as_the_whole_is() -> None:
    text = "a\x1b[1mb\r\nc\u202ed"

    assert "".join(visible(each) for each in text) == visible(text)


def test_json_means_the_same_with_what_a_terminal_would_obey_escaped() -> None:
    value = {"text": "a\x1b\x9b\u202e\U000e0041\u200d日\x7f\u2028"}
    written = json.dumps(value, ensure_ascii=False, indent=1)

    assert json.loads(visible_json(written)) == value
    assert visible(visible_json(written)) == visible_json(written)
