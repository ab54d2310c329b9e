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

# What an upload may be declared as: any type, if its bytes are text.
UPLOADED = (*ACCEPTED, "*/*")

# Plain text by its name may be something better known.
_ENDINGS = {".csv": "text/csv", ".md": "text/markdown", ".markdown": "text/markdown", ".json": JSON}


def media_type_of(data: bytes, declared: str, name: str) -> str:
    """The type to keep the file as. Raises BadInput when we do not take it, or it is not what it says.

    Text in UTF-8 is taken whatever it is called, source code and logs too. HTML and SVG can carry scripts:
    kept and served as plain text they are not run.
    """
    said = declared.partition(";")[0].strip().lower() or OCTETS
    found = _found(data)
    if found is None:
        raise _refused("The file is neither text in UTF-8 nor of another type that can be taken.")
    if found == PLAIN and said not in _BINARY:
        return _kept_text(data, said, name)
    if said not in (found, OCTETS):
        raise _refused(f"The file is not of the type {said[:80]!r}.")
    return found


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


def _kept_text(data: bytes, said: str, name: str) -> str:
    dot = name.rfind(".")
    by_name = _ENDINGS.get(name[dot:].lower(), PLAIN) if dot >= 0 else PLAIN
    kept = said if said in _TEXTS and said != PLAIN else by_name
    return PLAIN if kept == JSON and not _is_json(data) else kept


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _refused(message: str) -> BadInput:
    return BadInput(
        "bad_file", message, field="Content-Type", hint=f"Send text, or one of {', '.join(sorted(_BINARY))}."
    )
