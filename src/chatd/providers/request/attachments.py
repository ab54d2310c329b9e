"""Files on their way to a model: as they are, as text, or as a notice of what could not be shown (pure)."""

import re

from chatd.domain.part import File
from chatd.kit.text import shortened
from chatd.providers.capabilities.target import Files, Target
from chatd.providers.request.wire_turn import Attachment, SaidText

# Pasted text is stored as a file when it is long, and is still what the user said.
_PASTED = re.compile(r"pasted-text-\d{4}(-\d{2}){5}\.txt")
PASTED_BYTES_MAX = 128 * 1024
PASTE_CUT = "\n[The rest of the pasted text was left out.]"

# Text that does not say so in its type.
_TEXT_LIKE = frozenset(
    {
        "application/javascript",
        "application/json",
        "application/ld+json",
        "application/sql",
        "application/toml",
        "application/typescript",
        "application/x-httpd-php",
        "application/x-ndjson",
        "application/x-python",
        "application/x-sh",
        "application/x-yaml",
        "application/xhtml+xml",
        "application/xml",
        "application/yaml",
        "image/svg+xml",
    }
)
_GIF = "image/gif"
_IMAGES = frozenset({"image/png", "image/jpeg", _GIF, "image/webp"})
_AUDIO = frozenset({"audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"})
_MEDIA = frozenset(
    {
        "audio/aac",
        "audio/aiff",
        "audio/flac",
        "audio/ogg",
        "image/heic",
        "image/heif",
        "video/3gpp",
        "video/mp4",
        "video/mpeg",
        "video/quicktime",
        "video/webm",
    }
)
_OFFICE = frozenset(
    {
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
)
# What tools find and show: pictures, and pages.
VISUAL = _IMAGES | {"application/pdf"}
_NAME_CHARACTERS_MAX = 200


def attached(file: File, data: bytes | None, takes: Files) -> Attachment | SaidText | str | None:
    """What stands for the file: itself, a text, nothing, or (as a plain string) why it was left out."""
    name = shortened(file.name or "file", _NAME_CHARACTERS_MAX)
    if data is None:
        return SaidText(f"[The file {name} is no longer available.]")
    if not data:
        return None
    type_ = base_type(file.media_type)
    if _PASTED.fullmatch(file.name or "") and type_.startswith("text/"):
        return SaidText(_pasted(data))
    if type_.startswith("image/") and 0 < takes.image_bytes_max <= len(data):
        return SaidText(too_large(name, len(data), takes.image_bytes_max))
    if is_accepted(type_, takes):
        return Attachment(type_, data, file.name)
    if is_text(type_):
        return SaidText(f"The file {name}:\n{data.decode('utf-8', 'replace')}")
    return f"{name} was left out: the model takes no {type_}."


def too_large(name: str, size: int, limit: int) -> str:
    return (
        f"[The image {name} was left out: it has {size / 1024**2:.1f} MiB, and the model takes less than "
        f"{limit / 1024**2:.0f} MiB.]"
    )


def base_type(media_type: str) -> str:
    """The type without its parameters."""
    return media_type.partition(";")[0].strip().lower()


def is_accepted(type_: str, takes: Files) -> bool:
    return (
        (type_ in _IMAGES and takes.images and (takes.gif or type_ != _GIF))
        or (type_ == "application/pdf" and takes.pdf)
        or (type_.startswith("text/") and takes.text)
        or (type_ in _AUDIO and takes.audio)
        or (type_ in _OFFICE and takes.office)
        or (type_ in _MEDIA and takes.media)
    )


def seen_types(target: Target) -> frozenset[str]:
    """What the model can be shown in the result of a tool."""
    if target.quirks.string_content_only:
        return frozenset()
    return frozenset(type_ for type_ in VISUAL if is_accepted(type_, target.files))


def is_text(type_: str) -> bool:
    return type_.startswith("text/") or type_ in _TEXT_LIKE or type_.endswith(("+json", "+xml", "+yaml"))


def _pasted(data: bytes) -> str:
    if len(data) <= PASTED_BYTES_MAX:
        return data.decode("utf-8", "replace")
    # A character that the cut goes through is left out rather than replaced.
    return data[:PASTED_BYTES_MAX].decode("utf-8", "ignore") + PASTE_CUT
