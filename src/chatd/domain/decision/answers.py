"""Giving every open call an answer, so that the user or the model may speak.

A call whose tool has finished gets the result it produced. The others get an error that
says what is known, so that the model can tell "never ran" from "may have run".
"""

from collections.abc import Iterable

from chatd.domain.call import Call, CallResult, CallState, Effect, Kind, decision_of
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId
from chatd.domain.message import Draft, Role
from chatd.domain.part import CallDecision, ToolCall, ToolResult
from chatd.domain.usage.advice import uses_of

NEVER_RAN = "It did not run."
# No start is noted of what only reads: it may have been at work, or not.
ONLY_READS = "It has no result. It only reads, and can be called again."
WITH_THE_CLIENT = "The client may have run it: its outcome is unknown. Check before trying again."
MAY_HAVE_RUN = "It had already started: its outcome is unknown. Check before trying again."


def closing(locked: LockedChat, calls: Iterable[Call], why: str) -> tuple[Draft, ...]:
    """One tool message for each of these calls, in call order."""
    return tuple(answer(locked, call, result_or_excuse(call, why)) for call in calls)


def answer(locked: LockedChat, call: Call, outcome: CallResult) -> Draft:
    """The tool message that carries a result into history."""
    return _answer(locked, call.id, call.tool, outcome, decision_of(call))


def answering_all(locked: LockedChat, drafts: Iterable[Draft], why: str) -> tuple[Draft, ...]:
    """These messages, with an answer to every open call before anyone else speaks, and at the end."""
    owed = {
        call.id: draft for call, draft in zip(locked.calls, closing(locked, locked.calls, why), strict=True)
    }
    entering: list[Draft] = []
    for draft in drafts:
        if draft.compressed and draft.role is not Role.USER:
            entering.append(draft)
            continue
        if draft.role in (Role.USER, Role.ASSISTANT):
            entering += owed.values()
            owed = {}
        entering.append(draft)
        answered = {part.tool_call_id for part in draft.content if isinstance(part, ToolResult)}
        for part in draft.content:
            if isinstance(part, ToolCall) and not part.provider_executed:
                owed[part.tool_call_id] = _unrun(locked, part, why)
        for call_id in answered:
            owed.pop(call_id, None)
    return (*entering, *owed.values())


def result_or_excuse(call: Call, why: str) -> CallResult:
    if call.state is CallState.FINISHED:
        assert call.result is not None, f"call {call.id} is finished and has no result"
        return call.result
    return CallResult(result=f"{why} {_what_is_known(call)}", is_error=True)


def _what_is_known(call: Call) -> str:
    match call:
        case Call(kind=Kind.CLIENT):
            return WITH_THE_CLIENT
        case Call(kind=Kind.LOCAL, effect=Effect.READ, state=CallState.OPEN | CallState.STARTED):
            return ONLY_READS
        case Call(state=CallState.STARTED):
            return MAY_HAVE_RUN
        case _:
            return NEVER_RAN


def _unrun(locked: LockedChat, part: ToolCall, why: str) -> Draft:
    excuse = CallResult(result=f"{why} {NEVER_RAN}", is_error=True)
    return _answer(locked, part.tool_call_id, part.tool_name, excuse)


def _answer(
    locked: LockedChat, call_id: CallId, tool: str, outcome: CallResult, decision: CallDecision | None = None
) -> Draft:
    part = ToolResult(
        tool_call_id=call_id,
        tool_name=tool,
        result=outcome.result,
        is_error=outcome.is_error,
        is_media=outcome.is_media,
        media=outcome.media,
        mcp_server_config_id=outcome.mcp_server_config_id,
        created_at=outcome.created_at,
        duration_ms=outcome.duration_ms,
        decision=decision,
    )
    return Draft(
        role=Role.TOOL,
        content=(part, *outcome.files),
        model=locked.chat.last_model,
        advisor_uses=uses_of(tool, outcome),
    )
