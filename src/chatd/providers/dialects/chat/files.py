"""Files, as parts of a message (pure)."""

import base64
from collections.abc import Mapping

from chatd.domain.part import Json
from chatd.providers.request.wire_turn import Attachment

_SOUNDS: Mapping[str, str] = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def text_part(text: str) -> dict[str, Json]:
    return {"type": "text", "text": text}


def file_part(file: Attachment, number: int) -> dict[str, Json] | None:
    """The file as the `number`th part of its message; None when the dialect has no form for it."""
    type_ = file.media_type
    if type_.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": _data_url(file)}}
    if type_ in _SOUNDS:
        return {"type": "input_audio", "input_audio": {"data": _base64(file), "format": _SOUNDS[type_]}}
    if type_ == "application/pdf":
        name = file.name or f"part-{number}.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": _data_url(file)}}
    if type_.startswith("text/"):
        # There is no other form for text that all servers would read.
        return text_part(f"The file {file.name or f'part-{number}'}:\n{file.data.decode('utf-8', 'replace')}")
    return None


def _data_url(file: Attachment) -> str:
    return f"data:{file.media_type};base64,{_base64(file)}"


def _base64(file: Attachment) -> str:
    return base64.b64encode(file.data).decode("ascii")
