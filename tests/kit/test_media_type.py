import pytest

from chatd.kit.media_type import type_by_beginning, type_of


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a\1\0", "image/gif"),
        (b"RIFF\4\0\0\0WEBPVP8 ", "image/webp"),
        (b"%PDF-1.7", "application/pdf"),
    ],
)
def test_pictures_and_pages_are_known_by_how_they_begin(data: bytes, media_type: str) -> None:
    assert type_by_beginning(data) == media_type


@pytest.mark.parametrize("data", [b"", b"\x89PN", b"RIFF\4\0\0\0WAVEfmt ", b"    WEBP....", b"<svg/>"])
def test_everything_else_is_unknown(data: bytes) -> None:
    assert type_by_beginning(data) is None


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (b"%PDF-1.7", "notes.txt", "application/pdf"),
        (b"a,b\n", "table.CSV", "text/csv"),
        (b"# One", "README.md", "text/markdown"),
        (b"[1]", "a.json", "application/json"),
        (b"[1", "a.json", "text/plain"),
        (b"<script></script>", "page.html", "text/plain"),
        (b"<svg/>", "picture.svg", "text/plain"),
        ("é".encode(), "x", "text/plain"),
        (b"PK\x03\x04...\0", "a.zip", "application/zip"),
        (
            b"PK\x03\x04...\0",
            "a.xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (b"\x1f\x8b\x08\0", "a.xlsx", "application/gzip"),
        (b"\x7fELF\0", "a.png", "application/octet-stream"),
        (b"\xff\xfe", "a.txt", "application/octet-stream"),
    ],
)
def test_every_file_has_a_type_whatever_it_is_called(data: bytes, name: str, media_type: str) -> None:
    assert type_of(data, name) == media_type
