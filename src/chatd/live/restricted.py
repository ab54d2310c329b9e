"""What is seen of a chat that was shared: values of their own, each with every field that it has.

What is not named here is the owner's: usage, cost and time, details of errors, labels, the setup, the
workspace, marks, what an approval would change. In answers and events these values stand where the full ones
of `shapes.py` stand, and have a part of their fields; of each field
`tests/api/chats/sharing/test_who_sees_what.py` asks who sees it.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from chatd.domain.approvals.asked import AskedQuestion
from chatd.domain.call import Call
from chatd.domain.chat import RetryState
from chatd.domain.ids import ChatId, Micros
from chatd.domain.message import Effort, Message, Role
from chatd.domain.part import Content
from chatd.domain.turn_end import Failure, Reason, TurnEnd
from chatd.kit.clock import rfc3339
from chatd.live.shapes import Awaited, Moment, OpenCallView, PlanView, waiting_view


class SharedFailure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Without what the provider said."""

    message: str
    kind: str
    retryable: bool


class SharedTurnEnd(Struct, frozen=True, kw_only=True, omit_defaults=True):
    at: Moment
    reason: Reason | None = None
    error: SharedFailure | None = None


class SharedRetry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    attempt: int
    delay_ms: int
    error: str
    kind: str
    retrying_at: str


class SharedMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Without what it has cost, in tokens, money and time. Who sent it knows it by its key."""

    id: int
    chat_id: str
    role: Role
    content: Content
    created_at: Moment
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: Effort | None = None
    key: str | None = None
    cut_off: bool = False
    turn_end: SharedTurnEnd | None = None
    open_calls: tuple[OpenCallView, ...] = ()
    history_version: int | None = None
    generation_attempt: int | None = None


class SharedWaiting(Struct, frozen=True, kw_only=True):
    """Without what an approval would change: only the owner decides on it."""

    tool_call_id: str
    message_id: int
    tool_name: str
    args: Any
    kind: Awaited
    deadline: Moment | None
    questions: tuple[AskedQuestion, ...] | UnsetType = UNSET
    plan: PlanView | UnsetType = UNSET


def shared_message(chat_id: ChatId, message: Message) -> SharedMessage:
    return SharedMessage(
        id=message.id,
        chat_id=chat_id,
        role=message.role,
        content=message.content,
        created_at=rfc3339(message.created_at),
        created_by=message.created_by,
        model=message.model,
        reasoning_effort=message.effort,
        key=message.key,
        cut_off=message.cut_off,
        turn_end=_turn_end(message.turn_end) if message.turn_end is not None else None,
        history_version=message.history_version,
        generation_attempt=message.generation_attempt,
    )


def shared_waiting(call: Call, deadline: Micros | None) -> SharedWaiting:
    whole = waiting_view(call, deadline)
    return SharedWaiting(
        tool_call_id=whole.tool_call_id,
        message_id=whole.message_id,
        tool_name=whole.tool_name,
        args=whole.args,
        kind=whole.kind,
        deadline=whole.deadline,
        questions=whole.questions,
        # Compared with a version that may be on a branch that was left.
        plan=replace(whole.plan, diff="") if whole.plan is not UNSET else UNSET,
    )


def shared_failure(failure: Failure) -> SharedFailure:
    return SharedFailure(message=failure.message, kind=failure.kind, retryable=failure.retryable)


def shared_retry(retry: RetryState) -> SharedRetry:
    return SharedRetry(
        attempt=retry.attempt,
        delay_ms=retry.delay_ms,
        error=retry.error,
        kind=retry.kind,
        retrying_at=retry.retrying_at,
    )


def _turn_end(end: TurnEnd) -> SharedTurnEnd:
    return SharedTurnEnd(
        at=rfc3339(end.at),
        reason=end.reason,
        error=shared_failure(end.error) if end.error is not None else None,
    )
