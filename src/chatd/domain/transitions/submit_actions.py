"""A client or a person answers what the chat waits for: results, approvals and answers."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.answers import answer
from chatd.domain.call import Call, CallResult, CallState, Kind, awaits_action, awaits_client
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.ids import CallId, MessageId, UserId
from chatd.domain.locked import LockedChat
from chatd.domain.message import Draft
from chatd.domain.part import Json
from chatd.domain.setup import SetupChange
from chatd.domain.turns import steering_in
from chatd.errors import BadInput, NotAllowed


class Decision(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


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
    suffix: tuple[Draft, ...] = ()
    setup: SetupChange | None = None


def submit_actions(locked: LockedChat, command: SubmitActions) -> Change:
    """All or nothing. The agent goes on when no call waits for a client or a person any more."""
    pairs = _matched(locked, command.actions)
    decided = tuple(
        replace(
            call,
            state=CallState.OPEN if action.decision is Decision.ALLOW else call.state,
            decided_by=command.decided_by,
            reason=action.reason,
        )
        for call, action in pairs
        if isinstance(action, Approval)
    )
    answers = tuple(
        answer(locked, call, outcome) for call, action in pairs if (outcome := _outcome(action)) is not None
    )
    settled = {call.id for call, _ in pairs}
    still = [call for call in locked.calls if awaits_action(call) and call.id not in settled]
    change = Change(
        execution=_execution(locked, still),
        calls=decided,
        append=answers + command.suffix,
        setup=(command.setup,) if command.setup is not None else (),
    )
    return change if still else steering_in(locked, change)


def _matched(locked: LockedChat, actions: Iterable[Action]) -> list[tuple[Call, Action]]:
    waiting = {call.id: call for call in locked.calls if awaits_action(call)}
    pairs: dict[CallId, tuple[Call, Action]] = {}
    for action in actions:
        if action.call_id in pairs:
            raise BadInput("duplicate_action", f"Tool call {action.call_id!r} is answered twice.")
        call = waiting.get(action.call_id)
        if call is None:
            raise BadInput("unexpected_action", f"The chat does not wait for tool call {action.call_id!r}.")
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


def _outcome(action: Action) -> CallResult | None:
    """What enters history; None for a call that may now run."""
    match action:
        case Result(output=output, is_error=is_error):
            return CallResult(result=output, is_error=is_error)
        case Answer(answer=words):
            return CallResult(result=words)
        case Approval(decision=Decision.DENY, reason=reason):
            return CallResult(result=_denied(reason), is_error=True)
        case Approval():
            return None


def _denied(reason: str | None) -> str:
    return f"The user did not allow this call: {reason}" if reason else "The user did not allow this call."


def _execution(locked: LockedChat, still: list[Call]) -> Execution:
    if not still:
        return Execution(status=Status.RUNNING)
    deadline = locked.chat.deadline_at if any(awaits_client(call) for call in still) else None
    return Execution(status=Status.REQUIRES_ACTION, deadline_at=deadline)
