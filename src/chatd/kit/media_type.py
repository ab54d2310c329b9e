"""The type of a file by its first bytes: pictures and pages (pure)."""

# How they begin, and where.
_BEGINNINGS = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
    ("application/pdf", 0, b"%PDF-"),
)
KNOWN = frozenset(media_type for media_type, _, _ in _BEGINNINGS)


def type_by_beginning(data: bytes) -> str | None:
    """One of KNOWN, or None. A dozen bytes are enough."""
    for media_type, offset, beginning in _BEGINNINGS:
        if data.startswith(beginning, offset) and (offset == 0 or data.startswith(b"RIFF")):
            return media_type
    return None
