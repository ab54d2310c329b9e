"""What a file is, by how it begins: text, a picture, pages, or something else (pure)."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from chatd.kit.media_type import type_by_beginning

BINARY = "application/octet-stream"
UTF_16 = "text/plain; charset=utf-16"


def type_unless_text(beginning: bytes) -> str | None:
    """The media type; None of text whose lines can be shown."""
    if (known := type_by_beginning(beginning)) is not None:
        return known
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return UTF_16
    return BINARY if b"\0" in beginning else None
