"""What a model said, as it comes back with the next request: events become a turn."""

from collections.abc import Sequence
from typing import Any

import msgspec

from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolReturned,
)
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, TurnPart, WireTurn
from tests.providers.dialects.anthropic.streams import TARGET

NO_HEAD = Head()


def reply(events: Sequence[StreamEvent]) -> WireTurn:
    """Blocks stand where they ended, as the assembler keeps them."""
    open_blocks: dict[str, tuple[type[SaidText | Thought], list[str]]] = {}
    parts: list[TurnPart] = []
    internal: Any = None
    for event in events:
        match event:
            case TextDelta(text=text, block=block):
                open_blocks.setdefault(block, (SaidText, []))[1].append(text)
            case ReasoningDelta(text=text, block=block):
                open_blocks.setdefault(block, (Thought, []))[1].append(text)
            case BlockEnded(block=block, internal=kept):
                kind, pieces = open_blocks.pop(block)
                parts.append(kind("".join(pieces), kept))
            case ToolCalled(call_id, tool, args, by_provider, kept):
                parts.append(Called(call_id, tool, args if isinstance(args, dict) else {}, by_provider, kept))
            case ToolReturned(call_id, tool, result, is_error, kept):
                parts.append(
                    Returned(call_id, tool, result, is_error=is_error, provider_executed=True, internal=kept)
                )
            case Finished(internal=kept):
                internal = kept
            case _:
                pass
    assert not open_blocks, "every block is ended"
    return WireTurn("assistant", tuple(parts), internal)


def user(*parts: str | TurnPart) -> WireTurn:
    return WireTurn("user", tuple(SaidText(part) if isinstance(part, str) else part for part in parts))


def answers(turn: WireTurn) -> list[WireTurn]:
    """A result for each call of ours."""
    return [
        WireTurn("tool", (Returned(part.id, part.tool, f"result of {part.id}"),))
        for part in turn.parts
        if isinstance(part, Called) and not part.provider_executed
    ]


def stored(turn: WireTurn) -> WireTurn:
    """The turn after a journey through JSON."""
    parts = [
        msgspec.convert(msgspec.json.decode(msgspec.json.encode(part)), type(part)) for part in turn.parts
    ]
    return WireTurn(turn.role, tuple(parts), msgspec.json.decode(msgspec.json.encode(turn.internal)))


def items(turns: Sequence[WireTurn], target: Target = TARGET, *, newest: bool = True) -> bytes:
    written = ANTHROPIC.write_turns(turns, target, newest=newest)
    return b",".join(msgspec.json.encode(item) for item in written.items)


def request(turns: Sequence[WireTurn], head: Head = NO_HEAD, target: Target = TARGET) -> bytes:
    return ANTHROPIC.write_body(items(turns, target), head, target).json


def body(turns: Sequence[WireTurn], head: Head = NO_HEAD, target: Target = TARGET) -> dict[str, Any]:
    written: dict[str, Any] = msgspec.json.decode(request(turns, head, target))
    return written


def messages(
    turns: Sequence[WireTurn], target: Target = TARGET, *, newest: bool = False
) -> list[dict[str, Any]]:
    return list(ANTHROPIC.write_turns(turns, target, newest=newest).items)


def warnings(turns: Sequence[WireTurn], target: Target = TARGET) -> tuple[str, ...]:
    return ANTHROPIC.write_turns(turns, target, newest=False).warnings
