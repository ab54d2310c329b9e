"""What is being said in a chat right now, as far as the part log has it: pieces put together (pure)."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from chatd.domain.part import Reasoning, Text, ToolCall, ToolResult
from chatd.live.episodes.episode import LivePart, ToolCallPiece, ToolResultPiece

# Where each kind of piece has the words that come bit by bit.
_WORDS: Mapping[type, str] = {
    Text: "text",
    Reasoning: "text",
    ToolCallPiece: "args_delta",
    ToolResultPiece: "result_delta",
}


def put_together(parts: Sequence[LivePart]) -> tuple[LivePart, ...]:
    """The same in as few parts as possible, in order. Pieces of what has come as a whole are left out."""
    called = {part.tool_call_id for part in parts if isinstance(part, ToolCall)}
    returned = {part.tool_call_id for part in parts if isinstance(part, ToolResult)}
    left = [
        part
        for part in parts
        if not (isinstance(part, ToolCallPiece) and part.tool_call_id in called)
        and not (isinstance(part, ToolResultPiece) and part.tool_call_id in returned)
    ]
    return tuple(_joined(left))


def _joined(parts: Iterable[LivePart]) -> Iterator[LivePart]:
    for _, group in groupby(parts, key=_strand):
        first, *more = group
        if more:
            field = _WORDS[type(first)]
            words = "".join(getattr(part, field) for part in (first, *more))
            yield replace(first, **{field: words})
        else:
            yield first


def _strand(part: LivePart) -> Hashable:
    """Equal for two parts in a row of which the second goes on with the first. A whole one stands alone."""
    return (type(part), getattr(part, "tool_call_id", "")) if type(part) in _WORDS else id(part)
