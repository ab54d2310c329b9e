"""A tool came back. Its result is kept at once, whatever happens to its siblings or to the turn."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import CallResult, CallState, find, is_ours
from chatd.domain.decision.change import Change
from chatd.domain.decision.left_out import with_room_for_files
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import CallId, MessageId
from chatd.errors import BadInput, NotAllowed

ALREADY_FINISHED = "call_finished"


class FinishCall(Struct, frozen=True, kw_only=True):
    # A late result must not be taken for that of a newer call with the same id.
    message_id: MessageId
    call_id: CallId
    result: CallResult


def finish_call(locked: LockedChat, command: FinishCall) -> Change:
    """Files that the tool attached are linked to the chat here: from now on they are not unused."""
    call = find(locked.calls, command.call_id, command.message_id)
    if call is None or not is_ours(call):
        raise BadInput("unknown_call", f"No open tool call of ours has the id {command.call_id!r}.")
    if call.state is CallState.FINISHED:
        raise NotAllowed(ALREADY_FINISHED, f"Tool call {call.id!r} has its result already.")
    result = with_room_for_files(locked, command.result)
    finished = replace(call, state=CallState.FINISHED, result=result, finished_at=locked.now)
    return Change(calls=(finished,))
