import pytest

from chatd.kit.media_type import type_by_beginning


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
