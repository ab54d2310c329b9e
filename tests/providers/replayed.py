"""From events back to a turn, the shortest way: what the reply and `prepare` do between them."""

from collections.abc import Callable, Sequence
from itertools import count

import msgspec

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Decoder, Dialect, Head
from chatd.providers.events import (
    BlockEnded,
    Failed,
    Finished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.request.wire_turn import Called, Returned, SaidText, Thought, TurnPart, WireTurn
from chatd.providers.transport.sse import Frame


def numbered(prefix: str = "id") -> Callable[[], str]:
    """Ids that nobody else gives out, the same in every run."""
    numbers = count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def told(decoder: Decoder, frames: Sequence[Frame]) -> list[StreamEvent]:
    """Everything that these frames say, to the end."""
    out: list[StreamEvent] = []
    for name, data in frames:
        decoder.feed(name, data, out)
    decoder.close(out)
    return out


def comparable(events: Sequence[StreamEvent]) -> list[object]:
    """Two failures are never equal, but what they say is."""
    return [
        ("failed", event.error.fault, event.error.detail, event.error.retryable)
        if isinstance(event, Failed)
        else event
        for event in events
    ]


def balanced(events: Sequence[StreamEvent]) -> list[str]:
    """What is wrong with the blocks, the calls and the end of a stream."""
    endings = [event for event in events if isinstance(event, Finished | Failed)]
    wrong = [] if endings == [events[-1]] else ["there is not exactly one ending, or it is not the last"]
    return wrong + _blocks(events) + _calls(events)


def _blocks(events: Sequence[StreamEvent]) -> list[str]:
    wrong: list[str] = []
    opened: set[str] = set()
    ended: set[str] = set()
    for event in events:
        match event:
            case TextDelta(block=block) | ReasoningDelta(block=block):
                opened.add(block)
                if block in ended:
                    wrong.append(f"{block} goes on after its end")
            case BlockEnded(block=block):
                if block not in opened or block in ended:
                    wrong.append(f"{block} ends without having begun, or twice")
                ended.add(block)
            case _:
                pass
    if isinstance(events[-1], Finished) and opened != ended:
        wrong.append(f"{opened - ended} never end")
    return wrong


def _calls(events: Sequence[StreamEvent]) -> list[str]:
    wrong: list[str] = []
    called: set[str] = set()
    for event in events:
        if isinstance(event, ToolInput | ToolCalled) and event.call_id in called:
            wrong.append(f"{event.call_id} is called twice, or goes on after it was called")
        if isinstance(event, ToolCalled):
            called.add(event.call_id)
    return wrong


def as_turn(events: Sequence[StreamEvent], *, stored: bool = False) -> WireTurn:
    """The assistant's turn that these events make; `stored`: after a journey through JSON."""
    parts: list[TurnPart] = []
    texts: dict[str, str] = {}
    thinking: set[str] = set()
    internal: Json = None
    for event in events:
        match event:
            case TextDelta(text=text, block=block):
                texts[block] = texts.get(block, "") + text
            case ReasoningDelta(text=text, block=block):
                texts[block] = texts.get(block, "") + text
                thinking.add(block)
            case BlockEnded(block=block, internal=kept) if texts[block] or kept is not None:
                make = Thought if block in thinking else SaidText
                parts.append(make(texts[block], kept))
            case ToolCalled(call_id=call_id, tool=tool, args=args, provider_executed=ran, internal=kept):
                parts.append(Called(call_id, tool, args if isinstance(args, dict) else {}, ran, kept))
            case ToolReturned(call_id=call_id, tool=tool, result=result, is_error=failed, internal=kept):
                parts.append(Returned(call_id, tool, result, failed, provider_executed=True, internal=kept))
            case Finished(internal=kept):
                internal = kept
            case _:
                pass
    if stored:
        parts = [_through_json(part) for part in parts]
    return WireTurn("assistant", tuple(parts), internal)


def answers(turn: WireTurn) -> list[WireTurn]:
    """A result for each call that is ours to run."""
    return [
        WireTurn("tool", (Returned(part.id, part.tool, f"result of {part.id}"),))
        for part in turn.parts
        if isinstance(part, Called) and not part.provider_executed
    ]


def body_of(
    dialect: Dialect, segments: Sequence[Sequence[WireTurn]], target: Target, head: Head | None = None
) -> bytes:
    """The request, written segment by segment."""
    items = [
        codec.encode(item)
        for place, segment in enumerate(segments)
        for item in dialect.write_turns(segment, target, newest=place == len(segments) - 1).items
    ]
    return dialect.write_body(b",".join(items), head or Head(), target).json


def _through_json(part: TurnPart) -> TurnPart:
    stored = codec.encode(part)
    return msgspec.convert(codec.Decoder(dict).decode(stored), type(part))
