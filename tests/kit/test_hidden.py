import pytest

from chatd.kit.hidden import without_hidden


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n\ttext",
        "Zoë",
        "日本語",
        "שלום",
        "non-breaking\xa0blank",
        "👩\u200d🚀",
        "क\u094d\u200cष",
        "\ue000",
    ],
)
def test_what_people_see_stays(text: str) -> None:
    assert without_hidden(text) == text


@pytest.mark.parametrize(
    "hidden",
    {
        "a mark that turns the direction": "\u202e",
        "an isolate": "\u2067",
        "a blank without width": "\u200b",
        "a byte order mark": "\ufeff",
        "a letter spelled with tags": "\U000e0041",
        "a selector that spells a byte": "\U000e0155",
        "a selector of a variant": "\ufe0f",
        "a filler": "\u3164",
        "a control character": "\x1b",
        "a NUL": "\0",
        "half a character": "\ud800",
        "a soft hyphen": "\xad",
    }.values(),
)
def test_what_people_cannot_see_goes(hidden: str) -> None:
    assert without_hidden(f"a{hidden}b{hidden}") == "ab"


def test_lines_end_the_same_way() -> None:
    assert without_hidden("a\r\nb\rc\u2028d\u2029e\x0bf\x0cg\x85h") == "a\nb\nc\nd\ne\nf\ng\nh"


def test_joiners_in_a_row_spell_nothing() -> None:
    assert without_hidden("a\u200c\u200d\u200d\u200cb") == "a\u200cb"
