"""Bytes of pictures and documents inside of JSON: a record has a note of them, and not the bytes (pure)."""

import re
from collections.abc import Mapping

from chatd.domain.part import Json

_BASE64 = r"[A-Za-z0-9+/=_-]"
# Every repetition is bounded, or stops at a mark that it cannot pass, so that no text takes long.
_ADDRESS = re.compile(
    rf"data:(?P<type>[\w.+-]{{1,60}}/[\w.+-]{{1,60}})[^,\s\"']{{0,60}};base64,(?P<data>{_BASE64}*)"
)
_WHOLE = re.compile(rf"{_BASE64}+")

# Where dialects put the bytes of files, and nothing else.
_BYTES = ("bytes", "file_data", "b64_json", "partial_image_b64")
# Where they put them beside a type. Without one it may be anything, unless it is long.
_DATA = "data"
_TYPES = ("media_type", "mimeType", "mime_type")
LONG = 256

_IN_STREAM = re.compile(
    rf'"(?P<name>{"|".join((_DATA, *_BYTES))})"(?P<between>\s*:\s*)"(?P<data>{_BASE64}{{{LONG},}})"'
)


def note_of_field(fields: Mapping[str, Json], name: str) -> str | None:
    """What to say instead of the bytes of a file in this field; None when there are none."""
    value = fields[name]
    if name != _DATA and name not in _BYTES:
        return None
    if not isinstance(value, str) or not _WHOLE.fullmatch(value):
        return None
    type_ = next((str(fields[each]) for each in _TYPES if each in fields), "")
    if name == _DATA and not type_ and len(value) < LONG:
        return None
    return note(type_, value)


def without_files(text: str) -> str:
    """The text without files that are written out as addresses."""
    if "data:" not in text:
        return text
    return _ADDRESS.sub(lambda found: note(found["type"], found["data"]), text)


def stream_without_files(text: str) -> str:
    """The same for a stream, whose events are not parsed."""
    shorter = _IN_STREAM.sub(
        lambda found: f'"{found["name"]}"{found["between"]}"{note("", found["data"])}"', text
    )
    return without_files(shorter)


def note(type_: str, base64: str) -> str:
    size = len(base64.rstrip("=")) * 3 // 4
    return f"[a file: {type_ or 'unknown type'}, {size} bytes]"
