"""The type of a file by what is in it, since its name can be anything (pure)."""

import msgspec

OCTETS = "application/octet-stream"
PLAIN = "text/plain"
JSON = "application/json"

# How pictures and pages begin, and where.
_BEGINNINGS = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
    ("application/pdf", 0, b"%PDF-"),
)
KNOWN = frozenset(media_type for media_type, _, _ in _BEGINNINGS)

# What else is told apart: archives, and documents that are archives with another name.
_ARCHIVES = (("application/zip", b"PK\x03\x04"), ("application/gzip", b"\x1f\x8b"))
_OFFICE = "application/vnd.openxmlformats-officedocument"
_ZIPPED = {
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}

# Plain text by its name may be something better known.
_TEXTS = {".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown", ".json": JSON}


def type_by_beginning(data: bytes) -> str | None:
    """One of KNOWN, or None. A dozen bytes are enough."""
    for media_type, offset, beginning in _BEGINNINGS:
        if data.startswith(beginning, offset) and (offset == 0 or data.startswith(b"RIFF")):
            return media_type
    return None


def type_of(data: bytes, name: str) -> str:
    """The type of any file. What could carry scripts, HTML and SVG, is plain text."""
    if (known := type_by_beginning(data)) is not None:
        return known
    if is_text(data):
        return text_type(data, name)
    archive = next((media_type for media_type, begins in _ARCHIVES if data.startswith(begins)), OCTETS)
    return _ZIPPED.get(_ending(name), archive) if archive == "application/zip" else archive


def is_text(data: bytes) -> bool:
    """Whether it is text in UTF-8."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_type(data: bytes, name: str, said: str = PLAIN) -> str:
    """The type of a text: as is said, if that is one of the better known ones, or by its name."""
    is_known = said in _TEXTS.values()
    kept = said if is_known else _TEXTS.get(_ending(name), PLAIN)
    return PLAIN if kept == JSON and not _is_json(data) else kept


def _ending(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot >= 0 else ""


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
