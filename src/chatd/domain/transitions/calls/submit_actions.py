"""A client or a person answers what the chat waits for: results, approvals and answers."""

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.approvals.asked_answers import answered
from chatd.domain.approvals.made_rules import Decision, Made, added, made_by, settled
from chatd.domain.approvals.rule import ApprovalScope
from chatd.domain.call import Call, CallResult, CallState, Kind, awaits_action, awaits_client
from chatd.domain.chat import Status
from chatd.domain.decision.answers import answer
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import steering_in
from chatd.domain.ids import CallId, MessageId, UserId
from chatd.domain.message import Draft
from chatd.domain.part import Json, Timestamp
from chatd.domain.setup import SetupChange
from chatd.errors import BadInput, NotAllowed

# Each action may name the message of its call, so that an answer to an older question is refused.


class Result(Struct, frozen=True, kw_only=True):
    """What a client's tool came back with."""

    call_id: CallId
    message_id: MessageId | None = None
    output: Json
    is_error: bool = False


class Approval(Struct, frozen=True, kw_only=True):
    call_id: CallId
    message_id: MessageId | None = None
    decision: Decision
    # Beyond once, it makes rules, of which the call's request tells.
    scope: ApprovalScope = ApprovalScope.ONCE
    reason: str | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """What a person says to a question."""

    call_id: CallId
    message_id: MessageId | None = None
    answer: Json


Action: TypeAlias = Result | Approval | Answer


class SubmitActions(Struct, frozen=True, kw_only=True):
    """Any subset of what the chat waits for."""

    actions: tuple[Action, ...]
    decided_by: UserId | None = None
    # As people are told it.
    decided_at: Timestamp | None = None
    suffix: tuple[Draft, ...] = ()
    setup: SetupChange | None = None


def submit_actions(locked: LockedChat, command: SubmitActions) -> Change:
    """All or nothing. The agent goes on when no call waits for a client or a person any more.

    Rules that answers make are written with them, and settle calls that wait for the same.
    """
    pairs = _matched(locked, command.actions)
    made = [each for call, action in pairs if (each := _made(call, action)) is not None]
    pairs += _settled_by_rules(locked, pairs, made)
    by = command.decided_by or locked.chat.owner_id
    outcomes = [_outcome(locked, call, action, by, command.decided_at) for call, action in pairs]
    setups = [*(each.setup for each in outcomes), command.setup]
    done = {call.id for call, _ in pairs}
    still = [call for call in locked.calls if awaits_action(call) and call.id not in done]
    change = Change(
        execution=_execution(locked, still),
        calls=tuple(each.decided for each in outcomes if each.decided is not None),
        append=(*(each.answer for each in outcomes if each.answer is not None), *command.suffix),
        setup=tuple(each for each in setups if each is not None),
        rules=added(locked, made, ApprovalScope.CHAT, by),
        user_rules=added(locked, made, ApprovalScope.ALWAYS, by),
    )
    return change if still else steering_in(locked, change)


def _made(call: Call, action: Action) -> Made | None:
    return made_by(call, action.decision, action.scope) if isinstance(action, Approval) else None


def _settled_by_rules(
    locked: LockedChat, pairs: list[tuple[Call, Action]], made: list[Made]
) -> list[tuple[Call, Action]]:
    done = {call.id for call, _ in pairs}
    waiting = [
        call for call in locked.calls if call.state is CallState.NEEDS_APPROVAL and call.id not in done
    ]
    return [
        (call, Approval(call_id=call.id, message_id=call.message_id, decision=decision))
        for call, decision in settled(waiting, made)
    ]


def _decided(call: Call, approval: Approval, by: UserId, at: Timestamp | None) -> Call:
    return replace(
        call,
        state=CallState.OPEN if approval.decision is Decision.ALLOW else call.state,
        decided_by=by,
        decided_at=at,
        reason=approval.reason,
    )


def _matched(locked: LockedChat, actions: Iterable[Action]) -> list[tuple[Call, Action]]:
    waiting = {call.id: call for call in locked.calls if awaits_action(call)}
    pairs: dict[CallId, tuple[Call, Action]] = {}
    for action in actions:
        if action.call_id in pairs:
            raise BadInput("duplicate_action", f"Tool call {action.call_id!r} is answered twice.")
        call = waiting.get(action.call_id)
        if call is None:
            raise BadInput("unexpected_action", f"The chat does not wait for tool call {action.call_id!r}.")
        decides = isinstance(action, Approval | Answer)
        if decides and action.message_id is None and call.id in locked.used_before:
            raise NotAllowed(
                "ambiguous_call",
                f"This chat had a tool call {action.call_id!r} before, so a decision must name its message.",
                hint=f"Look at `waiting_for` again, and send `message_id`: {call.message_id} waits.",
            )
        if action.message_id not in (None, call.message_id):
            raise NotAllowed(
                "another_call",
                f"Tool call {action.call_id!r} of message {action.message_id} is over; the chat waits for "
                f"another one of that name, of message {call.message_id}.",
                hint="Look at `waiting_for` again before you answer.",
            )
        if not isinstance(action, _ANSWERED_BY[call.kind]):
            wanted = _ANSWERED_BY[call.kind].__name__.lower()
            raise BadInput(
                "wrong_action", f"Tool call {action.call_id!r} waits for a different answer: {wanted}."
            )
        pairs[call.id] = call, action
    if not pairs:
        raise BadInput(
            "no_actions", "Nothing was submitted.", hint="The chat's `waiting_for` lists its calls."
        )
    return list(pairs.values())


_ANSWERED_BY: dict[Kind, type[Action]] = {
    Kind.LOCAL: Approval,
    Kind.CLIENT: Result,
    Kind.PERSON: Answer,
}


class _Outcome(Struct, frozen=True, kw_only=True):
    """What follows from one action."""

    # The call as the ledger knows it then, where a person has decided.
    decided: Call | None = None
    # What enters history; None for a call that may now run.
    answer: Draft | None = None
    setup: SetupChange | None = None


def _outcome(locked: LockedChat, call: Call, action: Action, by: UserId, at: Timestamp | None) -> _Outcome:
    match action:
        case Result(output=output, is_error=is_error):
            return _Outcome(answer=answer(locked, call, CallResult(result=output, is_error=is_error)))
        case Answer(answer=given):
            meant = answered(call.request.asked if call.request is not None else None, given)
            said = answer(locked, call, CallResult(result=meant.result))
            return _Outcome(
                decided=replace(call, decided_by=by, decided_at=at, reason=meant.decision),
                answer=replace(said, ends_turn=meant.ends_turn),
                setup=meant.setup,
            )
        case Approval(decision=Decision.DENY, reason=reason):
            denied = _decided(call, action, by, at)
            refused = answer(locked, denied, CallResult(result=_denied(reason), is_error=True))
            return _Outcome(decided=denied, answer=refused)
        case Approval():
            return _Outcome(decided=_decided(call, action, by, at))


def _denied(reason: str | None) -> str:
    return f"The user did not allow this call: {reason}" if reason else "The user did not allow this call."


def _execution(locked: LockedChat, still: list[Call]) -> Execution:
    if not still:
        return Execution(status=Status.RUNNING)
    deadline = locked.chat.deadline_at if any(awaits_client(call) for call in still) else None
    return Execution(status=Status.REQUIRES_ACTION, deadline_at=deadline)
