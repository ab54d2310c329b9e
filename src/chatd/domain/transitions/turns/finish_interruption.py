"""A worker saves what was said before the stop. Every open call gets an answer, so this always succeeds."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import CallState
from chatd.domain.decision.change import Change
from chatd.domain.decision.left_out import affordable_files, without_lost_media
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import stopping
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import File, Part, ToolCall, ToolResult

INTERRUPTED = "The user interrupted the agent."


class FinishInterruption(Struct, frozen=True, kw_only=True):
    partial: tuple[Draft, ...] = ()
    # Calls that the runner has noted as started, and did not come to begin.
    unbegun: tuple[CallId, ...] = ()


def finish_interruption(locked: LockedChat, command: FinishInterruption) -> Change:
    locked = _without_starts(locked, command.unbegun)
    return stopping(locked, *_coherent(locked, command.partial), why=INTERRUPTED)


def _without_starts(locked: LockedChat, unbegun: Sequence[CallId]) -> LockedChat:
    if not unbegun:
        return locked
    lease = locked.chat.lease
    return replace(
        locked,
        calls=tuple(
            replace(call, state=CallState.OPEN)
            if call.id in unbegun and lease is not None and call.runner_id == lease.runner_id
            else call
            for call in locked.calls
        ),
    )


def _coherent(locked: LockedChat, partial: Sequence[Draft]) -> tuple[Draft, ...]:
    """What was half said, without results that answer nothing, calls that are named twice, and files
    that are not there. A reply cut at any point may contain them, and must be kept all the same.
    """
    # A call that came back has its answer already, whatever was shown of it.
    owed = {call.id for call in locked.calls if call.state is not CallState.FINISHED}
    files = affordable_files(locked, partial)
    kept: list[Draft] = []
    for draft in partial:
        if draft.role is Role.ASSISTANT:
            owed = set()
        content = tuple(
            without_lost_media(part, files)
            for part in draft.content
            if _belongs(part, draft.role, owed) and not (isinstance(part, File) and part.file_id not in files)
        )
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
