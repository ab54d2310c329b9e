"""What was shown of a reply that never finished becomes messages that can be kept (pure).

Used where the reply itself is gone: after a crash. Text and reasoning stay as they were said. A call stays
only if its arguments are whole. Results of our own tools, and the files
that they attached, are not taken from here: the ledger has them.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import (
    SUMMARY_TOOL,
    File,
    HookNotice,
    Part,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.live.episodes.episode import LivePart, Spoken, ToolCallPiece
from chatd.providers.dialects.shared.arguments import whole_object

HOLE = "Something that was said in this reply was lost when the database stopped."


def salvaged(
    parts: Iterable[Spoken], *, now: str, model: str | None, runtime_ms: int | None
) -> tuple[Draft, ...]:
    """At most one assistant message, with everything in the order in which it was said."""
    kept = _Kept(now)
    last = 0
    for spoken in parts:
        if spoken.seq - spoken.count > last:
            kept.note_hole()
        if not _is_attached(spoken):
            kept.add(spoken.part)
        last = spoken.seq
    content = kept.content()
    if not content:
        return ()
    return (Draft(role=Role.ASSISTANT, content=content, model=model, runtime_ms=runtime_ms),)


def _is_attached(spoken: Spoken) -> bool:
    return spoken.role is Role.TOOL and isinstance(spoken.part, File)


class _Kept:
    def __init__(self, now: str) -> None:
        self._now = now
        self._parts: list[Part] = []
        # The words of the text or the thought that is the last part.
        self._words: list[str] = []
        self._called: set[CallId] = set()
        self._pieces: dict[CallId, list[ToolCallPiece]] = {}
        self._has_hole = False

    def note_hole(self) -> None:
        """Only words can be read on their own: what is left of a call could be another call."""
        self._has_hole = True
        self._pieces.clear()

    def add(self, part: LivePart) -> None:
        match part:
            case Text() | Reasoning():
                self._add_words(part)
            case ToolCallPiece(tool_call_id=call_id) if not self._has_hole:
                self._pieces.setdefault(call_id, []).append(part)
            case ToolCall(tool_name=name) if name == SUMMARY_TOOL:
                pass  # A summary that was not finished is none.
            case ToolCall(tool_call_id=call_id):
                self._pieces.pop(call_id, None)
                self._called.add(call_id)
                self._append(part)
            case ToolResult(provider_executed=True, tool_call_id=call_id) if call_id in self._called:
                self._append(part)
            case Source() | File():
                self._append(part)
            case _:
                pass

    def content(self) -> tuple[Part, ...]:
        self._end_words()
        whole = (_whole(said) for said in self._pieces.values())
        parts = (*self._parts, *(call for call in whole if call is not None))
        return (*parts, HookNotice(text=HOLE)) if parts and self._has_hole else parts

    def _add_words(self, part: Text | Reasoning) -> None:
        if not part.text:
            return
        if not self._words or type(self._parts[-1]) is not type(part):
            self._append(_begun(part, self._now))
        self._words.append(part.text)

    def _append(self, part: Part) -> None:
        self._end_words()
        self._parts.append(part)

    def _end_words(self) -> None:
        """Put together once, and not with every piece: that would take the square of the time."""
        if self._words:
            begun = self._parts[-1]
            assert isinstance(begun, Text | Reasoning)
            self._parts[-1] = replace(begun, text="".join(self._words))
            self._words = []


def _begun(part: Text | Reasoning, now: str) -> Text | Reasoning:
    if isinstance(part, Text):
        return part
    return replace(part, created_at=part.created_at or now, completed_at=now)


def _whole(pieces: list[ToolCallPiece]) -> ToolCall | None:
    """The call, if what came of its arguments is whole."""
    name = next((piece.tool_name for piece in pieces if piece.tool_name), "")
    kind = next((piece.kind for piece in pieces if piece.kind), None)
    args = whole_object("".join(piece.args_delta for piece in pieces))
    if args is None or not name:
        return None
    return ToolCall(tool_call_id=pieces[0].tool_call_id, tool_name=name, args=args, kind=kind)
