"""How long what is said is: for a model, in tokens, and in memory, in bytes. Both are estimates."""

from collections.abc import Mapping

from chatd.domain.ids import FileId
from chatd.domain.message import Message
from chatd.domain.part import Content, File, Json, Part, ToolResult
from chatd.kit.codec import encode

# A token is about four bytes of JSON; a provider's own count replaces the guess after each reply.
BYTES_PER_TOKEN = 4
# Providers count a picture by its measures and not by its bytes, up to about this.
IMAGE_TOKENS = 1600
# A page of a PDF has about 50 kB, and takes about 2,000 tokens.
DOCUMENT_BYTES_PER_TOKEN = 25


def tokens_of(content: Content) -> int:
    """What a model is shown of a picture is neither its name nor the base64 in which old results carry it."""
    shown = [part for part in content if _media_in(part) is not None]
    if not shown:
        return len(encode(content)) // BYTES_PER_TOKEN
    words = [part for part in content if _media_in(part) is None]
    return len(encode(words)) // BYTES_PER_TOKEN + sum(map(_media_tokens, shown))


def file_tokens(content: Content, sizes: Mapping[FileId, int]) -> int:
    """What the files of a user's message add to it, by their bytes. One of an unknown size adds nothing."""
    return sum(
        _tokens_of_file(part.media_type, sizes.get(part.file_id, 0))
        for part in content
        if isinstance(part, File)
    )


def _tokens_of_file(media_type: str, size_bytes: int) -> int:
    if media_type.startswith("image/"):
        return IMAGE_TOKENS if size_bytes else 0
    # Some providers take text as files, the others are told it as words.
    is_text = media_type.startswith("text/") or media_type.endswith(("json", "xml", "yaml"))
    return size_bytes // (BYTES_PER_TOKEN if is_text else DOCUMENT_BYTES_PER_TOKEN)


def bytes_of(message: Message) -> int:
    """About how much memory it takes."""
    return message.tokens * BYTES_PER_TOKEN + sum(map(_data_length, message.content))


def _media_in(part: Part) -> Mapping[str, Json] | None:
    if isinstance(part, ToolResult) and part.is_media and isinstance(part.result, dict):
        return part.result
    return None


def _media_tokens(part: Part) -> int:
    media = _media_in(part) or {}
    words = len(encode(media.get("text", ""))) // BYTES_PER_TOKEN
    return words + _tokens_of_file(str(media.get("mime_type", "")), _shown_bytes(part))


def _shown_bytes(part: Part) -> int:
    if isinstance(part, ToolResult) and part.media is not None:
        return max(0, part.media.size_bytes or 0)
    return _data_length(part) * 3 // 4


def _data_length(part: Part) -> int:
    data = (_media_in(part) or {}).get("data")
    return len(data) if isinstance(data, str) else 0
