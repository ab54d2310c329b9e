"""What people see of messages, of the queue and of trouble: the same shapes in answers and in live events.

Nothing internal passes through here: a shape names every field it has.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from chatd.domain.approvals.asked import AskedQuestion, ProposedPlan, Questions
from chatd.domain.approvals.rule import ApprovalRequest, ApprovalScope
from chatd.domain.call import Call, CallState, Kind, decision_of
from chatd.domain.chat import Chat, RetryState
from chatd.domain.ids import ChatId, Micros
from chatd.domain.message import Effort, Message, Queued, Role, Usage
from chatd.domain.part import CallDecision, Content
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.turn_end import Failure, Reason, TurnEnd
from chatd.kit.clock import rfc3339
from chatd.storage.reads.authors import Author
from chatd.storage.transactions.families import Children

# RFC 3339, in UTC.
Moment: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


# What a caller is to a chat. `admin`: nothing of the others, but an administrator.
Access: TypeAlias = Literal["owner", "writer", "reader", "steward", "admin"]


class OwnerView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: str


class Participant(Struct, frozen=True, kw_only=True):
    """Somebody who has written in a chat: who is meant by the `created_by` of a message."""

    id: str
    name: str
    display_name: str


class FailureView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    message: str
    kind: str
    retryable: bool
    detail: str | None = None
    provider: str | None = None
    status_code: int | None = None


class TurnEndView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Either a reason or an error, and when."""

    at: Moment
    reason: Reason | None = None
    error: FailureView | None = None


class RetryView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An automatic retry that is pending."""

    attempt: int
    delay_ms: int
    error: str
    kind: str
    retrying_at: str
    provider: str | None = None
    status_code: int | None = None


class QueuedView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message that waits for the running turn."""

    id: int
    chat_id: str
    content: Content
    created_at: Moment
    created_by: str
    when: When
    model: str | None = None
    reasoning_effort: Effort | None = None
    key: str | None = None


Awaited: TypeAlias = Literal["result", "approval", "answer"]


class ScopeView(Struct, frozen=True, kw_only=True):
    """For which calls an approval may count, beside this one."""

    scope: ApprovalScope
    rules: Annotated[
        tuple[str, ...], Meta(description="The rules that an approval would make, in words. Of `once`: none.")
    ]


class ApprovalView(Struct, frozen=True, kw_only=True):
    """What a person should know before they allow a call, beside its arguments."""

    programs: Annotated[
        tuple[tuple[str, ...], ...],
        Meta(description="The programs that its command runs, each with its words."),
    ]
    unsure: Annotated[str | None, Meta(description="Why it may run more than these programs.")]
    danger: Annotated[
        str | None,
        Meta(description="Which of the files that it changes has effects beyond itself, and which effects."),
    ]
    reads: Annotated[tuple[str, ...], Meta(description="Paths, within the workspace or absolute.")]
    writes: tuple[str, ...]
    hosts: Annotated[tuple[str, ...], Meta(description="On the internet, which it would ask.")]
    preview: Annotated[
        str | None, Meta(description="What it would change, mostly a diff. Lists leave it out.")
    ]
    scopes: Annotated[
        tuple[ScopeView, ...], Meta(description="How far an approval may reach. `once` is always possible.")
    ]


class PlanView(Struct, frozen=True, kw_only=True):
    """A plan that waits for a person to accept it, to want it changed, or to decline it."""

    version: Annotated[int, Meta(description="Counted from 1, for each chat.")]
    text: Annotated[str, Meta(description="Markdown. Lists leave it out.")]
    diff: Annotated[str, Meta(description="How it differs from the version before. Lists leave it out.")]


class WaitingFor(Struct, frozen=True, kw_only=True):
    """A call that waits: for a client with a result, or for a person with an approval or an answer."""

    tool_call_id: str
    # Of the message that made the call: some models give calls of different messages the same id.
    message_id: int
    tool_name: str
    args: Any
    kind: Awaited
    deadline: Moment | None
    # Only of one that waits for an approval.
    approval: ApprovalView | UnsetType = UNSET
    # Only of one that waits for an answer, and of these either or none.
    questions: tuple[AskedQuestion, ...] | UnsetType = UNSET
    plan: PlanView | UnsetType = UNSET


class WaitingChildView(Struct, frozen=True, kw_only=True):
    """A chat that works for another one and waits. It is answered in that chat, not in its parent."""

    chat_id: str
    title: str
    agent_type: AgentType | None
    waiting_for: tuple[WaitingFor, ...]


class ChildrenView(Struct, frozen=True, kw_only=True):
    """The chats that work for one."""

    count: Annotated[int, Meta(description="How many there are, also those that are done.")]
    at_work: Annotated[int, Meta(description="How many of them are at it now.")]
    waiting: Annotated[
        tuple[WaitingChildView, ...],
        Meta(description="Those that wait for a person or a client: see `POST /chats/{chat_id}/actions`."),
    ]


class CallProgress(StrEnum):
    """How far a call is that has no result in the history yet."""

    PENDING = "pending"
    RUNNING = "running"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_RESULT = "awaiting_result"
    AWAITING_ANSWER = "awaiting_answer"
    DENIED = "denied"
    FINISHED = "finished"


class OpenCallView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    tool_call_id: str
    state: Annotated[
        CallProgress,
        Meta(
            description="`pending`: it has not begun, or only reads. `awaiting_result` is for a client, the "
            "other two for a person. One that is `finished` or `denied` waits for the others of its message."
        ),
    ]
    decision: CallDecision | None = None
    started_at: Moment | None = None


class MessageView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    chat_id: str
    role: Role
    content: Content
    created_at: Moment
    created_by: str | None = None
    model: str | None = None
    reasoning_effort: Effort | None = None
    # The sender's own name for it.
    key: str | None = None
    usage: Usage | None = None
    runtime_ms: int | None = None
    first_ms: int | None = None
    # Millionths of the currency. Left out where the price is not known, which is not a price of zero.
    cost_micros: int | None = None
    # The model had more to say than it may say at once.
    cut_off: bool = False
    # How the turn ended whose last message this is.
    turn_end: TurnEndView | None = None
    # Of its calls, those that have no result yet. Only in pages of messages: a stream tells `waiting_for`.
    open_calls: tuple[OpenCallView, ...] = ()
    # The episode in which it was said, as in `message_part`. Left out of what no agent said.
    history_version: int | None = None
    generation_attempt: int | None = None


def message_view(chat_id: ChatId, message: Message) -> MessageView:
    return MessageView(
        id=message.id,
        chat_id=chat_id,
        role=message.role,
        content=message.content,
        created_at=rfc3339(message.created_at),
        created_by=message.created_by,
        model=message.model,
        reasoning_effort=message.effort,
        key=message.key,
        usage=message.usage,
        runtime_ms=message.runtime_ms,
        first_ms=message.first_ms,
        cost_micros=message.cost.micros if message.cost else None,
        cut_off=message.cut_off,
        turn_end=turn_end_view(message.turn_end) if message.turn_end is not None else None,
        history_version=message.history_version,
        generation_attempt=message.generation_attempt,
    )


def queued_view(chat_id: ChatId, queued: Queued) -> QueuedView:
    return QueuedView(
        id=queued.id,
        chat_id=chat_id,
        content=queued.content,
        created_at=rfc3339(queued.created_at),
        created_by=queued.created_by,
        when=When.STEER if queued.steered else When.QUEUE,
        model=queued.model,
        reasoning_effort=queued.effort,
        key=queued.key,
    )


def waiting_view(call: Call, deadline: Micros | None) -> WaitingFor:
    # A person may take as long as they like.
    watched = deadline if call.kind is Kind.CLIENT else None
    asked = call.request.asked if call.request is not None else None
    return WaitingFor(
        tool_call_id=call.id,
        message_id=call.message_id,
        tool_name=call.tool,
        args=call.args,
        kind=_AWAITED[call.kind],
        deadline=rfc3339(watched) if watched is not None else None,
        approval=_approval_view(call.request or ApprovalRequest()) if call.kind is Kind.LOCAL else UNSET,
        questions=asked.questions if isinstance(asked, Questions) else UNSET,
        plan=_plan_view(asked) if isinstance(asked, ProposedPlan) else UNSET,
    )


def children_view(children: Children, waiting: Callable[[Call, Micros | None], Any]) -> ChildrenView:
    """`waiting` makes a WaitingFor, or what stands for it where less is shown."""
    return ChildrenView(
        count=children.count,
        at_work=children.at_work,
        waiting=tuple(
            WaitingChildView(
                chat_id=each.chat.id,
                title=each.chat.title,
                agent_type=each.chat.agent_type,
                waiting_for=tuple(waiting(call, each.chat.deadline_at) for call in each.calls),
            )
            for each in children.waiting
        ),
    )


def light_waiting_view(call: Call, deadline: Micros | None) -> WaitingFor:
    """For lists: what a call would change can be long."""
    waiting = waiting_view(call, deadline)
    if waiting.plan is not UNSET:
        # Its arguments are the same text.
        return replace(waiting, args={}, plan=replace(waiting.plan, text="", diff=""))
    if waiting.approval is UNSET:
        return waiting
    return replace(waiting, approval=replace(waiting.approval, preview=None))


def _plan_view(plan: ProposedPlan) -> PlanView:
    return PlanView(version=plan.version, text=plan.text, diff=plan.diff)


def open_call_view(call: Call) -> OpenCallView:
    return OpenCallView(
        tool_call_id=call.id,
        state=_AWAITING[call.kind] if call.state is CallState.OPEN else _PROGRESS[call.state],
        decision=decision_of(call),
        started_at=rfc3339(call.started_at) if call.started_at is not None else None,
    )


_AWAITING: Mapping[Kind, CallProgress] = {
    Kind.LOCAL: CallProgress.PENDING,
    Kind.CLIENT: CallProgress.AWAITING_RESULT,
    Kind.PERSON: CallProgress.AWAITING_ANSWER,
}
_PROGRESS: Mapping[CallState, CallProgress] = {
    CallState.NEEDS_APPROVAL: CallProgress.AWAITING_APPROVAL,
    CallState.DENIED: CallProgress.DENIED,
    CallState.STARTED: CallProgress.RUNNING,
    CallState.FINISHED: CallProgress.FINISHED,
}


def _approval_view(request: ApprovalRequest) -> ApprovalView:
    rules = tuple(str(rule) for rule in request.rules)
    return ApprovalView(
        programs=request.programs,
        unsure=request.unsure,
        danger=request.danger,
        reads=request.reads,
        writes=request.writes,
        hosts=request.hosts,
        preview=request.preview,
        scopes=(
            ScopeView(scope=ApprovalScope.ONCE, rules=()),
            *(ScopeView(scope=scope, rules=rules) for scope in request.scopes),
        ),
    )


# Of the server's own tools, only the ones that need an approval wait.
_AWAITED: Mapping[Kind, Awaited] = {
    Kind.CLIENT: "result",
    Kind.LOCAL: "approval",
    Kind.PERSON: "answer",
}


def turn_end_view(end: TurnEnd) -> TurnEndView:
    return TurnEndView(
        at=rfc3339(end.at),
        reason=end.reason,
        error=failure_view(end.error) if end.error is not None else None,
    )


def participants_view(authors: Iterable[Author]) -> tuple[Participant, ...]:
    return tuple(Participant(id=each.id, name=each.name, display_name=each.display_name) for each in authors)


def failure_view(failure: Failure) -> FailureView:
    return FailureView(
        message=failure.message,
        kind=failure.kind,
        retryable=failure.retryable,
        detail=failure.detail,
        provider=failure.provider,
        status_code=failure.status_code,
    )


def dirty_since(chat: Chat) -> Moment | None:
    """Since when the chat's workspace is known to tell something else than what is pinned."""
    since = chat.context.dirty_since if chat.context is not None else None
    return rfc3339(since) if since is not None else None


def retry_view(retry: RetryState) -> RetryView:
    return RetryView(
        attempt=retry.attempt,
        delay_ms=retry.delay_ms,
        error=retry.error,
        kind=retry.kind,
        retrying_at=retry.retrying_at,
        provider=retry.provider,
        status_code=retry.status_code,
    )
