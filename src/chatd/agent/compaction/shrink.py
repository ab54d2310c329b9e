"""A history that no longer fits, made to fit once more: so that it can be summed up (pure).

First long results of tools lose their middle, which says least; then the oldest messages go. What is stored
is not touched: this is only for the one call that makes the summary.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from chatd.domain.message import Message, Role
from chatd.domain.part import Part, Text, ToolResult
from chatd.domain.size import tokens_of
from chatd.kit import codec
from chatd.tools.truncate import truncated

# Of a single result.
RESULT_BYTES_MAX = 4096
# Of the context, for the history; the rest is for the instructions, the summary and our wrong guesses.
SHARE_PERCENT = 75
OLDEST_LEFT_OUT = "[The oldest part of the conversation was left out: there was no room for it.]"


def shrunk(messages: Sequence[Message], context_limit: int) -> list[Message]:
    """The same conversation in less room; all of it, if the limit is unknown (0)."""
    shorter = [_with_short_results(message) for message in messages]
    budget = context_limit * SHARE_PERCENT // 100
    kept: list[Message] = []
    used = sum(message.tokens for message in shorter if message.role is Role.SYSTEM)
    for message in reversed(shorter):
        used += message.tokens if message.role is not Role.SYSTEM else 0
        if budget and used > budget and kept:
            break
        kept.append(message)
    kept.reverse()
    dropped = shorter[: len(shorter) - len(kept)]
    if not any(message.role is not Role.SYSTEM for message in dropped):
        return shorter
    notice = replace(kept[0], role=Role.USER, content=(Text(text=OLDEST_LEFT_OUT),), internal=None)
    return [*(message for message in dropped if message.role is Role.SYSTEM), notice, *kept]


def _with_short_results(message: Message) -> Message:
    if message.role is not Role.TOOL:
        return message
    content = tuple(_short(part) for part in message.content)
    if content == message.content:
        return message
    return replace(message, content=content, tokens=tokens_of(content))


def _short(part: Part) -> Part:
    if not isinstance(part, ToolResult):
        return part
    if part.is_media and isinstance(part.result, dict):
        # Images are dropped here: one costs more tokens than the budget of a whole result.
        return replace(part, result=str(part.result.get("text", "")), is_media=False)
    text = part.result if isinstance(part.result, str) else codec.encode_text(part.result)
    short = truncated(text, RESULT_BYTES_MAX)
    return part if short == text else replace(part, result=short)
