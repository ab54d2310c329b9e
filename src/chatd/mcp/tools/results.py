"""What a server answers to a call becomes the result of a tool (pure, but for the ids of files)."""

import base64
import binascii
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from chatd.domain.ids import FileId
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.kit.ids import new_id
from chatd.kit.text import valid_text
from chatd.tools.calls.call import MEDIA_BYTES_MAX
from chatd.tools.tool import Attachment, Media, Result, ToolError

NOTHING = "The tool returned nothing."
FAILED = "The tool failed, and did not say why."

# Pictures and sounds of one result that are kept beside the first: how many, and of how many bytes together.
FURTHER_MAX = 9
FURTHER_BYTES_MAX = 20 * 1024 * 1024

# What models and browsers can show, and what does nothing on its own.
SHOWN_TYPES = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp"}
    | {"audio/wav", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/flac", "audio/webm"}
)


class _Read(Struct):
    """What was found in a result."""

    texts: list[str]
    media: list[Media]
    # What cannot be shown, in words.
    left_out: Counter[str]


def result_of(answer: Mapping[str, Json]) -> Json:
    """Its text, with the first picture or sound if there is one. Raises ToolError for an error.

    Further ones are kept for people, as files of the chat, within bounds.
    """
    read = _Read(texts=[], media=[], left_out=Counter())
    content = answer.get("content")
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict):
            _BLOCKS.get(str(block.get("type")), _unknown)(block, read)
    structured = answer.get("structuredContent")
    if structured is not None and not _is_said(structured, read.texts):
        read.texts.append(_as_json(structured))
    if answer.get("isError") is True:
        raise ToolError("\n\n".join(read.texts) or FAILED)
    if not read.media:
        return _said(read) or NOTHING
    first, *others = read.media
    further = _further(others, read)
    shown = Media(data=first.data, media_type=first.media_type, text=_said(read))
    return Result(value=shown, attachments=further) if further else shown


def _further(others: Sequence[Media], read: _Read) -> tuple[Attachment, ...]:
    """As many as may be kept beside the first; of the others it is told that they are not shown."""
    kept: list[Attachment] = []
    room = FURTHER_BYTES_MAX
    for number, media in enumerate(others, 2):
        if len(kept) == FURTHER_MAX or len(media.data) > room:
            read.left_out[media.media_type] += 1
            continue
        room -= len(media.data)
        name = f"result-{number}.{media.media_type.rpartition('/')[2]}"
        kept.append(Attachment(id=FileId(new_id()), name=name, media_type=media.media_type, data=media.data))
    if kept:
        names = ", ".join(file.name for file in kept)
        read.texts.append(f"[The user can see further files of this result, and you cannot: {names}]")
    return tuple(kept)


def _said(read: _Read) -> str:
    return "\n\n".join([*read.texts, *_notes(read.left_out)])


def _notes(left_out: Mapping[str, int]) -> Sequence[str]:
    return [f"[{count} of {what} not shown]" for what, count in sorted(left_out.items())]


def _text(block: Mapping[str, Json], read: _Read) -> None:
    if isinstance(text := block.get("text"), str) and text:
        read.texts.append(valid_text(text))


def _binary(block: Mapping[str, Json], read: _Read) -> None:
    _keep(block.get("data"), block.get("mimeType"), read)


def _resource(block: Mapping[str, Json], read: _Read) -> None:
    resource = block.get("resource")
    if not isinstance(resource, dict):
        return
    if isinstance(text := resource.get("text"), str):
        read.texts.append(valid_text(f"[{resource.get('uri')}]\n{text}"))
    elif "blob" in resource:
        _keep(resource["blob"], resource.get("mimeType"), read)


def _link(block: Mapping[str, Json], read: _Read) -> None:
    words = [str(block[key]) for key in ("title", "name", "uri", "description") if block.get(key)]
    read.texts.append(valid_text(f"[resource: {' · '.join(dict.fromkeys(words))}]"))


def _unknown(block: Mapping[str, Json], read: _Read) -> None:
    read.left_out[f"content of type {valid_text(str(block.get('type')))[:40]}"] += 1


_BLOCKS: Mapping[str, Callable[[Mapping[str, Json], _Read], None]] = {
    "text": _text,
    "image": _binary,
    "audio": _binary,
    "resource": _resource,
    "resource_link": _link,
}


def _keep(data: Json, media_type: Json, read: _Read) -> None:
    kind = str(media_type).partition(";")[0].strip().lower()
    if kind not in SHOWN_TYPES or not isinstance(data, str):
        read.left_out[valid_text(kind)[:80]] += 1
        return
    try:
        plain = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        read.left_out[f"{kind} (damaged)"] += 1
        return
    if 0 < len(plain) <= MEDIA_BYTES_MAX:
        read.media.append(Media(data=plain, media_type=kind))
    else:
        read.left_out[f"{kind} ({len(plain)} bytes)"] += 1


def _is_said(structured: Json, texts: Sequence[str]) -> bool:
    """Servers say it as text, too, for clients that do not know structured content.

    The official package makes an object of what is none: `{"result": "done"}` of the text `done`.
    """
    meanings = [structured]
    if isinstance(structured, dict) and structured.keys() == {"result"}:
        meanings.append(structured["result"])
    return any(said in meanings for text in texts for said in (text, _parsed(text)) if said is not None)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _as_json(value: Json) -> str:
    try:
        return codec.encode_text(value)
    except (ValueError, OverflowError, TypeError, UnicodeEncodeError, RecursionError):
        return json.dumps(value, default=str)
