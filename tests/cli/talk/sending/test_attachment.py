"""Files to send along: what they are is in them, and not in their names."""

from pathlib import Path

import pytest

from chatd.api.files.media import media_type_of
from chatd.cli.talk.sending.attachment import Attachment, read_attachment
from chatd.errors import Misconfigured

PNG = b"\x89PNG\r\n\x1a\n\0\0"


def attachment(folder: Path, name: str, data: bytes) -> Attachment:
    (folder / name).write_bytes(data)
    return read_attachment(str(folder / name))


@pytest.mark.parametrize(
    "name",
    [
        "main.py",
        "app.ts",
        "lib.rs",
        "Makefile",
        "x.tar.gz",
        "picture.png",
        "bad.json",
        "a.xml",
        "b.js",
        "c.html",
        "d.SVG",
    ],
)
def test_text_is_sent_as_text_whatever_its_name_says(tmp_path: Path, name: str) -> None:
    text = "print('日')\n".encode()

    found = attachment(tmp_path, name, text)

    assert found == Attachment(name, "text/plain", text)
    assert media_type_of(text, found.media_type, found.name) == "text/plain"


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.png", PNG, "image/png"),
        ("a.txt", PNG, "image/png"),
        ("a", b"%PDF-1.7 all in ASCII", "application/pdf"),
    ],
)
def test_a_binary_file_is_sent_as_what_it_is(tmp_path: Path, name: str, data: bytes, media_type: str) -> None:
    assert attachment(tmp_path, name, data) == Attachment(name, media_type, data)


@pytest.mark.parametrize("data", [b"\0\1\2", "Zoë".encode("latin-1"), "text".encode("utf-16")])
def test_what_the_server_does_not_take_is_told_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Misconfigured, match=r"a\.bin is neither text in UTF-8 nor one of application/"):
        attachment(tmp_path, "a.bin", data)
