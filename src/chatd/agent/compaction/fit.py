"""A history that is too long for a model, made to fit (pure). What is stored is not touched.

Shortened is what says least: first pictures of tools, then their results, then files, then the arguments of
calls, then text. Of each, the longest lose their middle first, and a notice tells where the rest is. Only
when all are as short as may be, the oldest messages are left out, but for how those of the user begin.
Summaries, the system's words and the newest message of the user are never left out, so whatever was said, the
answer fits and is to the point.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.compaction.listed import listed
from chatd.domain.ids import MessageId
from chatd.domain.message import Message, Role
from chatd.domain.message import text as text_of
from chatd.domain.part import Content, File, FileReference, Part, Reasoning, Text, ToolCall, ToolResult
from chatd.domain.usage.size import BYTES_PER_TOKEN, tokens_of
from chatd.kit.codec import encode_text
from chatd.tools.calls.truncate import MARKER_BYTES, common_level, truncated

OLDEST_LEFT_OUT = "[The oldest part of the conversation was left out: there was no room for it.]"
THEIR_WORDS = "What the user said in it begins with:"
# Of the budget, for the words of the user in what is left out.
THEIR_WORDS_PERCENT = 15
# What is left of a shortened part names its message, and the tool that reads the rest.
LEFT_OUT = (
    "[... {{left_out}} of {{size}} bytes of message {message_id} left out; read_message reads them ...]"
)
FILE_LEFT_OUT = (
    "[The file {name} of message {message_id} was left out; read_message reads it, if it is text.]"
)
# Times that a level is lowered because JSON took more room than its text.
LOWERED_MAX = 8


def fit(messages: Sequence[Message], budget_tokens: int) -> list[Message]:
    """The same conversation in at most so many tokens, by our estimate."""
    fitting = list(messages)
    for stage in STAGES:
        if _tokens(fitting) <= budget_tokens:
            return fitting
        fitting = _shortened(fitting, stage, budget_tokens)
    if _tokens(fitting) > budget_tokens:
        fitting = _without_oldest(fitting, budget_tokens)
    if _tokens(fitting) > budget_tokens:
        fitting = _shortened(fitting, LAST_RESORT, budget_tokens)
    return fitting


class Stage(Struct, frozen=True, kw_only=True):
    """One kind of part, and how it is shortened."""

    # Its text, if a part is of this kind.
    text_in: Callable[[Part], str | None]
    # The part with this text, of this message.
    shorten: Callable[[Part, str, MessageId], Part]
    # No part is made shorter than this.
    floor_bytes: int


def _media_in(part: Part) -> str | None:
    is_shown = isinstance(part, ToolResult) and part.is_media and isinstance(part.result, dict)
    return "[What the tool has shown.]" if is_shown else None


def _without_media(part: Part, _: str, __: MessageId) -> Part:
    """One picture costs more tokens than the budget of a whole result."""
    assert isinstance(part, ToolResult)
    return replace(part, result=str(part.result.get("text", "")), is_media=False, media=None)


def _result_in(part: Part) -> str | None:
    if not isinstance(part, ToolResult):
        return None
    return part.result if isinstance(part.result, str) else encode_text(part.result)


def _with_result(part: Part, text: str, _: MessageId) -> Part:
    assert isinstance(part, ToolResult)
    return replace(part, result=text)


def _args_in(part: Part) -> str | None:
    return encode_text(part.args) if isinstance(part, ToolCall) else None


def _with_args(part: Part, text: str, _: MessageId) -> Part:
    assert isinstance(part, ToolCall)
    return replace(part, args={"shortened": text})


def _text_in(part: Part) -> str | None:
    match part:
        case Text(text=text) | Reasoning(text=text) | FileReference(content=text):
            return text
        case _:
            return None


def _with_text(part: Part, text: str, _: MessageId) -> Part:
    return replace(part, content=text) if isinstance(part, FileReference) else replace(part, text=text)


def _file_in(part: Part) -> str | None:
    return f"[The file {part.name or part.file_id}.]" if isinstance(part, File) else None


def _without_file(part: Part, _: str, message_id: MessageId) -> Part:
    assert isinstance(part, File)
    return Text(text=FILE_LEFT_OUT.format(name=part.name or part.file_id, message_id=message_id))


MEDIA: Final = Stage(text_in=_media_in, shorten=_without_media, floor_bytes=0)
RESULTS: Final = Stage(text_in=_result_in, shorten=_with_result, floor_bytes=1024)
FILES: Final = Stage(text_in=_file_in, shorten=_without_file, floor_bytes=0)
ARGUMENTS: Final = Stage(text_in=_args_in, shorten=_with_args, floor_bytes=512)
TEXT: Final = Stage(text_in=_text_in, shorten=_with_text, floor_bytes=1024)
# In this order.
STAGES: Final = (MEDIA, RESULTS, FILES, ARGUMENTS, TEXT)
LAST_RESORT: Final = Stage(text_in=_text_in, shorten=_with_text, floor_bytes=64)


def _tokens(messages: Iterable[Message]) -> int:
    return sum(message.tokens for message in messages)


def _shortened(messages: Sequence[Message], stage: Stage, budget_tokens: int) -> list[Message]:
    """All parts of this kind cut to one level: the highest one that fits, or the floor."""
    sizes = [
        len(text.encode("utf-8", "replace"))
        for message in messages
        for part in message.content
        if (text := stage.text_in(part)) is not None
    ]
    if not sizes:
        return list(messages)
    spare = sum(sizes) - max(0, _tokens(messages) - budget_tokens) * BYTES_PER_TOKEN
    level = max(stage.floor_bytes, common_level(sizes, spare))
    for _ in range(LOWERED_MAX):
        cut = [_cut(message, stage, level) for message in messages]
        if _tokens(cut) <= budget_tokens or level == stage.floor_bytes:
            return cut
        level = max(stage.floor_bytes, level * 3 // 4)
    return [_cut(message, stage, stage.floor_bytes) for message in messages]


def _cut(message: Message, stage: Stage, level: int) -> Message:
    # A notice is short for what it tells, and is made anew when it is left out itself.
    if message.role is Role.SYSTEM or (stage is TEXT and _is_notice(message)):
        return message
    content = tuple(_cut_part(part, stage, level, message) for part in message.content)
    if content == message.content:
        return message
    # What its provider wants back belongs to the parts as they were.
    return replace(message, content=content, tokens=tokens_of(content), internal=_origin(message))


def _cut_part(part: Part, stage: Stage, level: int, message: Message) -> Part:
    text = stage.text_in(part)
    if text is None or len(text.encode("utf-8", "replace")) <= level:
        return part
    marker = LEFT_OUT.format(message_id=message.id)
    return stage.shorten(part, truncated(text, max(1, level), marker), message.id)


def _origin(message: Message) -> object:
    """Who said it stays known."""
    internal = message.internal
    return {"origin": internal["origin"]} if isinstance(internal, dict) and "origin" in internal else None


def _without_oldest(messages: Sequence[Message], budget_tokens: int) -> list[Message]:
    """From the oldest on, whole exchanges: results do not stay without their calls."""
    newest = max((m.id for m in messages if m.role is Role.USER and not m.compressed), default=None)
    room = budget_tokens * THEIR_WORDS_PERCENT // 100 + tokens_of((Text(text=OLDEST_LEFT_OUT),))
    excess = _tokens(messages) - budget_tokens + room
    kept: list[Message] = []
    left_out: list[Message] = []
    dropping = False
    for message in messages:
        is_pinned = message.compressed or message.role is Role.SYSTEM or message.id == newest
        dropping = not is_pinned and (excess > 0 or (dropping and message.role is Role.TOOL))
        if not dropping:
            kept.append(message)
            continue
        excess -= message.tokens
        left_out.append(message)
    if not left_out:
        return kept
    place = next((k for k, m in enumerate(kept) if m.role is not Role.SYSTEM), len(kept))
    like = kept[place] if place < len(kept) else messages[-1]
    content = _notice(left_out, room)
    notice = replace(
        like,
        role=Role.USER,
        content=content,
        tokens=tokens_of(content),
        internal=None,
        compressed=False,
        usage=None,
    )
    return [*kept[:place], notice, *kept[place:]]


def _notice(left_out: Sequence[Message], room_tokens: int) -> Content:
    """That the oldest part was left out; with how each message of the user in it begins, as far as fits."""
    words = [line for message in left_out if message.role is Role.USER for line in _lines_of(message)]
    bytes_max = room_tokens * BYTES_PER_TOKEN
    for _ in range(LOWERED_MAX):
        if not words or bytes_max <= MARKER_BYTES:
            break
        told = (Text(text="\n".join((OLDEST_LEFT_OUT, THEIR_WORDS, listed(words, bytes_max)))),)
        if tokens_of(told) <= room_tokens:
            return told
        bytes_max = bytes_max * 3 // 4
    return (Text(text=OLDEST_LEFT_OUT),)


def _lines_of(message: Message) -> list[str]:
    """What was said, in one line; of a notice that is itself left out now, the lines that it has."""
    words = text_of(message).strip()
    if _is_notice(message):
        return [line.removeprefix("- ") for line in words.splitlines()[2:]]
    return [" ".join(words.split())] if words else []


def _is_notice(message: Message) -> bool:
    return message.role is Role.USER and text_of(message).startswith(OLDEST_LEFT_OUT)
