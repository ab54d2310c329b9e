"""Where turns begin and end: how a user's message gets into history, and what a stop leaves."""

from msgspec.structs import replace

from chatd.domain.chat import Reason, Status
from chatd.domain.decision.answers import answering_all
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.message import Draft, Queued, Role
from chatd.domain.part import ToolResult
from chatd.domain.setup import SetupChange
from chatd.domain.turn_end import TurnEnd

# In these, no turn is under way.
AT_REST = frozenset({Status.WAITING, Status.ERROR})


def cut_short(locked: LockedChat) -> TurnEnd | None:
    """The end of the turn that is under way, if there is one and it goes no further."""
    if locked.chat.status in AT_REST:
        return None
    return TurnEnd(at=locked.now, reason=Reason.INTERRUPTED)


def starting(locked: LockedChat, *messages: Draft, why: str) -> Change:
    """Open calls are answered, these messages enter history, the agent runs."""
    return Change(
        execution=Execution(status=Status.RUNNING),
        turn_end=cut_short(locked),
        append=answering_all(locked, messages, why),
    )


def starting_with(locked: LockedChat, queued: Queued, *, before: tuple[Draft, ...] = (), why: str) -> Change:
    """The same, with a message that leaves the queue; what was said before it comes first."""
    change = starting(locked, *before, queued.as_draft(), why=why)
    return replace(change, dequeue=(queued.id,), setup=_setups(queued))


def stopping(locked: LockedChat, *said: Draft, why: str) -> Change:
    """The turn was interrupted: what was said is kept, open calls are answered, the queue goes on."""
    if locked.queue:
        return starting_with(locked, locked.head, before=said, why=why)
    return Change(
        execution=Execution(status=Status.WAITING, finish_reason=Reason.INTERRUPTED),
        turn_end=cut_short(locked),
        append=answering_all(locked, said, why),
    )


def steering_in(locked: LockedChat, change: Change) -> Change:
    """The change, with the steered messages behind it if it brings the turn to a step boundary.

    A boundary is where tool results are the last that entered history, and no call is left open.
    """
    said = [draft for draft in change.append if not draft.compressed]
    if not said or said[-1].role is not Role.TOOL:
        return change
    results = {
        part.tool_call_id
        for draft in change.append
        if draft.role is Role.TOOL and not draft.compressed
        for part in draft.content
        if isinstance(part, ToolResult)
    }
    owed = any(call.id not in results for call in locked.calls)
    steered = tuple(row for row in locked.queue if row.steered)
    if not results or owed or not steered:
        return change
    return replace(
        change,
        append=change.append + tuple(row.as_draft() for row in steered),
        dequeue=change.dequeue + tuple(row.id for row in steered),
        setup=change.setup + _setups(*steered),
    )


def _setups(*entering: Queued) -> tuple[SetupChange, ...]:
    return tuple(row.setup for row in entering if row.setup is not None)
