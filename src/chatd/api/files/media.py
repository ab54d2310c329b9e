"""What a file really is: by its first bytes, since a name and a declared type can be anything. Pure."""

import msgspec

from chatd.errors import BadInput
from chatd.kit.media_type import KNOWN, type_by_beginning

OCTETS = "application/octet-stream"
PLAIN = "text/plain"
JSON = "application/json"

_TEXTS = frozenset({PLAIN, "text/csv", "text/markdown", JSON})
ACCEPTED = tuple(sorted(KNOWN | _TEXTS))

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
    if found == PLAIN and said not in KNOWN:
        return _kept_text(data, said, name)
    if said not in (found, OCTETS):
        raise _refused(f"The file is not of the type {said[:80]!r}.")
    return found


def _found(data: bytes) -> str | None:
    return type_by_beginning(data) or (PLAIN if _is_text(data) else None)


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
        "bad_file", message, field="Content-Type", hint=f"Send text, or one of {', '.join(sorted(KNOWN))}."
    )
