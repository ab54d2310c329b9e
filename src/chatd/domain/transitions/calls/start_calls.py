"""A worker is about to run tools."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import Call, CallState, Effect, find, is_ours
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId, MessageId
from chatd.errors import BadInput, NotAllowed

NOT_STARTABLE = "call_not_startable"


class StartCalls(Struct, frozen=True, kw_only=True):
    # Some providers number calls per reply, so an id alone could mean a call of another one.
    message_id: MessageId
    call_ids: tuple[CallId, ...]


def start_calls(locked: LockedChat, command: StartCalls) -> Change:
    """Committed before the tools begin, so that a crash in the middle leaves a trace."""
    ids = dict.fromkeys(command.call_ids)
    return Change(calls=tuple(_started(locked, command.message_id, call_id) for call_id in ids))


def _started(locked: LockedChat, message_id: MessageId, call_id: CallId) -> Call:
    call = find(locked.calls, call_id, message_id)
    if call is None or not is_ours(call):
        raise BadInput("unknown_call", f"No open tool call of ours has the id {call_id!r}.")
    again = call.state is CallState.STARTED and call.effect is not Effect.ONCE
    if call.state is not CallState.OPEN and not again:
        raise NotAllowed(NOT_STARTABLE, f"Tool call {call_id!r} is {call.state} and must not run again.")
    lease = locked.chat.lease
    return replace(
        call,
        state=CallState.STARTED,
        started_at=locked.now,
        runner_id=lease.runner_id if lease else None,
    )
