"""A worker finds that calls that were to run may not run now: the rules have changed since they were made."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import Call, CallState, Effect, Plan, find, is_ours
from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.unbegun import noted_here, reopened
from chatd.domain.ids import MessageId
from chatd.errors import BadInput, NotAllowed


class JudgeCalls(Struct, frozen=True, kw_only=True):
    # Some providers number calls per reply, so an id alone could mean a call of another one.
    message_id: MessageId
    # Each denies its call, or has a person asked for it.
    plans: tuple[Plan, ...]


def judge_calls(locked: LockedChat, command: JudgeCalls) -> Change:
    return Change(calls=tuple(_judged(locked, command.message_id, plan) for plan in command.plans))


def _judged(locked: LockedChat, message_id: MessageId, plan: Plan) -> Call:
    call = find(locked.calls, plan.call_id, message_id)
    if call is not None and _is_so(call, plan):
        return call  # A commit whose answer was lost, and that was tried again.
    if call is None or not is_ours(call):
        raise BadInput("unknown_call", f"No open tool call of ours has the id {plan.call_id!r}.")
    assert plan.state in (CallState.NEEDS_APPROVAL, CallState.DENIED), f"{plan.state} is no judgement"
    denied_again = (
        plan.state is CallState.DENIED and call.state is CallState.STARTED and call.effect is not Effect.ONCE
    )
    if plan.state is CallState.NEEDS_APPROVAL and call.decided_by is not None:
        raise NotAllowed("call_decided", f"A person has decided on tool call {call.id!r} already.")
    if noted_here(locked, call):
        # It is judged anew before it begins.
        call = reopened(call)
    if call.state is not CallState.OPEN and not denied_again:
        raise NotAllowed("call_not_judgeable", f"Tool call {call.id!r} is {call.state} already.")
    return replace(call, state=plan.state, reason=plan.reason, request=plan.request or call.request)


def _is_so(call: Call, plan: Plan) -> bool:
    return (call.state, call.reason) == (plan.state, plan.reason)
