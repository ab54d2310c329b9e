"""Texts in the encodings of the web."""

import pytest

from chatd.tools.web.charset import ENCODINGS, decoded


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("für".encode(), None, "für"),
        ("für".encode("latin-1"), None, "für"),
        ("für".encode("latin-1"), "ISO-8859-1", "für"),
        (b"\x93quoted\x94", "latin1", "“quoted”"),
        ("日本語".encode("shift_jis"), '"Shift_JIS"', "日本語"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        ("für".encode("utf-8-sig"), "windows-1252", "für"),
        ("für".encode("utf-16"), "utf-8", "für"),
        ("für".encode()[:-2], None, "f\ufffd"),
        (b"\xff\xfe", None, ""),
        (b"", None, ""),
    ],
)
def test_a_text_is_read_as_it_says_or_as_it_looks(data: bytes, charset: str | None, text: str) -> None:
    assert decoded(data, charset) == text


@pytest.mark.parametrize(
    "meta",
    [
        b"<meta charset=shift_jis>",
        b'<META http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
        b"<meta  charset = 'Shift_JIS' />",
    ],
)
def test_a_page_can_say_its_encoding_itself(meta: bytes) -> None:
    page = b"<!doctype html>" + meta + "日本語".encode("shift_jis")

    assert decoded(page, None, is_html=True).endswith("日本語")
    assert decoded(page, "utf-8", is_html=True) != decoded(page, None, is_html=True), (
        "the server's word counts"
    )


@pytest.mark.parametrize(
    "charset", ["utf-7", "unicode_escape", "zip", "rot13", "idna", "punycode", "base64", "x" * 99, "../etc"]
)
def test_what_is_no_encoding_of_the_web_is_not_believed(charset: str) -> None:
    assert decoded(b"+ADw-script+AD4- \\u003c", charset) == "+ADw-script+AD4- \\u003c"


def test_a_page_that_was_readable_so_far_is_not_in_utf_16() -> None:
    assert decoded(b"<meta charset=utf-16>ok", None, is_html=True) == "<meta charset=utf-16>ok"


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_python_has_every_encoding_of_the_table(name: str) -> None:
    assert isinstance(decoded(b"plain", name), str)
