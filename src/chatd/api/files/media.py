"""What a file really is: by its first bytes, since a name and a declared type can be anything. Pure."""

import msgspec

from chatd.errors import BadInput

OCTETS = "application/octet-stream"
PLAIN = "text/plain"
JSON = "application/json"

# How they begin, and where.
_BEGINNINGS = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
    ("application/pdf", 0, b"%PDF-"),
)
_BINARY = frozenset(media_type for media_type, _, _ in _BEGINNINGS)
_TEXTS = frozenset({PLAIN, "text/csv", "text/markdown", JSON})
ACCEPTED = tuple(sorted(_BINARY | _TEXTS))

# Plain text by its name may be something better known.
_ENDINGS = {".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown", ".json": JSON}
# They can carry scripts.
_REFUSED_ENDINGS = (".html", ".htm", ".xhtml", ".svg")
_MARKUP = (b"<!doctype html", b"<html", b"<svg", b"<?xml", b"<script")
_LOOKED_AT = 1024


def media_type_of(data: bytes, declared: str, name: str) -> str:
    """The type to keep the file as. Raises BadInput when we do not take it, or it is not what it says."""
    said = declared.partition(";")[0].strip().lower() or OCTETS
    if name.lower().endswith(_REFUSED_ENDINGS) or said not in (*ACCEPTED, OCTETS):
        raise _refused(f"A file of the type {said[:80]!r} cannot be taken.")
    found = _found(data)
    if said == OCTETS:
        if found is None or (found == PLAIN and _is_markup(data)):
            raise _refused("It cannot be told what this file is.")
        return _refined(data, name) if found == PLAIN else found
    if found != (PLAIN if said in _TEXTS else said):
        raise _refused(f"The file is not of the type {said}.")
    if said == JSON and not _is_json(data):
        raise _refused("The file is not valid JSON.")
    return _refined(data, name) if said == PLAIN else said


def _found(data: bytes) -> str | None:
    for media_type, offset, beginning in _BEGINNINGS:
        if data.startswith(beginning, offset) and (offset == 0 or data.startswith(b"RIFF")):
            return media_type
    return PLAIN if _is_text(data) else None


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _refined(data: bytes, name: str) -> str:
    dot = name.rfind(".")
    better = _ENDINGS.get(name[dot:].lower(), PLAIN) if dot >= 0 else PLAIN
    return PLAIN if better == JSON and not _is_json(data) else better


def _is_markup(data: bytes) -> bool:
    start = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith(_MARKUP)


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _refused(message: str) -> BadInput:
    return BadInput("bad_file", message, field="Content-Type", hint=f"Send one of {', '.join(ACCEPTED)}.")
