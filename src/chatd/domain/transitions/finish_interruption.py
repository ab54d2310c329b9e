"""A worker saves what was said before the stop. Every open call gets an answer, so this always succeeds."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.answers import answering_all
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.ids import CallId
from chatd.domain.locked import LockedChat
from chatd.domain.message import Draft, Role
from chatd.domain.part import Part, ToolCall, ToolResult
from chatd.domain.turns import starting_with

INTERRUPTED = "The user interrupted the agent."


class FinishInterruption(Struct, frozen=True, kw_only=True):
    partial: tuple[Draft, ...] = ()


def finish_interruption(locked: LockedChat, command: FinishInterruption) -> Change:
    partial = _coherent(locked, command.partial)
    if locked.queue:
        return starting_with(locked, locked.head, before=partial, why=INTERRUPTED)
    return Change(
        execution=Execution(status=Status.WAITING),
        append=answering_all(locked, partial, INTERRUPTED),
    )


def _coherent(locked: LockedChat, partial: Iterable[Draft]) -> tuple[Draft, ...]:
    """What was half said, without results that answer nothing and calls that are named twice.

    A reply cut at any point may contain either, and must be kept all the same.
    """
    owed = {call.id for call in locked.calls}
    kept: list[Draft] = []
    for draft in partial:
        if draft.role is Role.ASSISTANT:
            owed = set()
        content = tuple(part for part in draft.content if _belongs(part, draft.role, owed))
        if content:
            kept.append(replace(draft, content=content))
    return tuple(kept)


def _belongs(part: Part, role: Role, owed: set[CallId]) -> bool:
    """Whether the part may stay; `owed` follows along."""
    match part:
        case ToolCall(tool_call_id=call_id):
            if call_id in owed:
                return False
            owed.add(call_id)
        case ToolResult(tool_call_id=call_id) if role is Role.TOOL:
            if call_id not in owed:
                return False
            owed.discard(call_id)
    return True
