"""What was shown of a reply that never finished becomes messages that can be kept (pure).

Text and reasoning stay as they were said. A call stays only if its arguments are whole. Results of
our own tools are not taken from here: the ledger has them.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import SUMMARY_TOOL, Part, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.live.episode import Spoken, ToolCallPiece
from chatd.providers.arguments import whole_object


def salvaged(
    parts: Iterable[Spoken], *, now: str, model: str | None, runtime_ms: int | None
) -> tuple[Draft, ...]:
    """At most one assistant message, with everything in the order in which it was said."""
    kept: list[Part] = []
    pieces: dict[CallId, list[ToolCallPiece]] = {}
    for spoken in parts:
        match spoken.part:
            case Text(text=text):
                _add_text(kept, text)
            case Reasoning() as thought:
                _add_thought(kept, thought, now)
            case ToolCallPiece(tool_call_id=call_id) as piece:
                pieces.setdefault(call_id, []).append(piece)
            case ToolCall(tool_name=name) if name == SUMMARY_TOOL:
                pass  # A summary that was not finished is none.
            case ToolCall(tool_call_id=call_id) as call:
                pieces.pop(call_id, None)
                kept.append(call)
            case ToolResult(provider_executed=True) as result if _called(kept, result.tool_call_id):
                kept.append(result)
            case Source() as source:
                kept.append(source)
            case _:
                pass
    kept += [whole for said in pieces.values() if (whole := _whole(said)) is not None]
    if not kept:
        return ()
    return (Draft(role=Role.ASSISTANT, content=tuple(kept), model=model, runtime_ms=runtime_ms),)


def _add_text(kept: list[Part], text: str) -> None:
    if kept and isinstance(kept[-1], Text):
        kept[-1] = Text(text=kept[-1].text + text)
    elif text:
        kept.append(Text(text=text))


def _add_thought(kept: list[Part], thought: Reasoning, now: str) -> None:
    if kept and isinstance(kept[-1], Reasoning):
        kept[-1] = replace(kept[-1], text=kept[-1].text + thought.text)
    elif thought.text:
        kept.append(replace(thought, created_at=thought.created_at or now, completed_at=now))


def _called(kept: list[Part], call_id: CallId) -> bool:
    return any(isinstance(part, ToolCall) and part.tool_call_id == call_id for part in kept)


def _whole(pieces: list[ToolCallPiece]) -> ToolCall | None:
    """The call, if what came of its arguments is whole."""
    name = next((piece.tool_name for piece in pieces if piece.tool_name), "")
    args = whole_object("".join(piece.args_delta for piece in pieces))
    if args is None or not name:
        return None
    return ToolCall(tool_call_id=pieces[0].tool_call_id, tool_name=name, args=args)
