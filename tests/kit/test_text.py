import pytest

from chatd.kit.text import is_plain, one_line, shortened


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
