"""What the domain knows, in the shapes that callers get. Nothing internal passes through here."""

from collections.abc import Iterable, Mapping

from chatd.api import bodies
from chatd.domain.call import Call, Kind, awaits_somebody
from chatd.domain.chat import Chat, Failure, RetryState
from chatd.domain.ids import ChatId, Micros
from chatd.domain.locked import LockedChat
from chatd.domain.message import Message, Queued
from chatd.domain.transitions.send_message import When
from chatd.kit.clock import rfc3339


def locked_view(locked: LockedChat) -> bodies.ChatView:
    """The chat as a transaction left it."""
    return chat_view(locked.chat, locked.queue, (c for c in locked.calls if awaits_somebody(c)))


def chat_view(chat: Chat, queue: Iterable[Queued], waiting_for: Iterable[Call]) -> bodies.ChatView:
    return bodies.ChatView(
        id=chat.id,
        owner_id=chat.owner_id,
        title=chat.title,
        status=chat.status,
        archived=chat.archived,
        labels=chat.labels,
        pin_order=chat.pin_order,
        last_error=_failure(chat.last_error) if chat.last_error else None,
        retry=_retry(chat.retry_state) if chat.retry_state else None,
        queue=tuple(queued_view(chat.id, row) for row in queue),
        waiting_for=tuple(_waiting(call, chat.deadline_at) for call in waiting_for),
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_model=chat.last_model,
        last_reasoning_effort=chat.last_effort,
        parent_chat_id=chat.parent_id,
        root_chat_id=chat.root_id,
        branch=chat.branch,
        branch_count=chat.branch_count,
        snapshot_version=chat.versions.snapshot,
    )


def message_view(chat_id: ChatId, message: Message) -> bodies.MessageView:
    return bodies.MessageView(
        id=message.id,
        chat_id=chat_id,
        role=message.role,
        content=message.content,
        created_at=rfc3339(message.created_at),
        created_by=message.created_by,
        model=message.model,
        reasoning_effort=message.effort,
        usage=message.usage,
        runtime_ms=message.runtime_ms,
    )


def queued_view(chat_id: ChatId, queued: Queued) -> bodies.QueuedView:
    return bodies.QueuedView(
        id=queued.id,
        chat_id=chat_id,
        content=queued.content,
        created_at=rfc3339(queued.created_at),
        created_by=queued.created_by,
        when=When.STEER if queued.steered else When.QUEUE,
        model=queued.model,
        reasoning_effort=queued.effort,
    )


def _waiting(call: Call, deadline: Micros | None) -> bodies.WaitingFor:
    # A person may take as long as they like.
    watched = deadline if call.kind is Kind.CLIENT else None
    return bodies.WaitingFor(
        tool_call_id=call.id,
        tool_name=call.tool,
        args=call.args,
        kind=_AWAITED[call.kind],
        deadline=rfc3339(watched) if watched is not None else None,
    )


# Of our own tools only those wait for somebody that need an approval.
_AWAITED: Mapping[Kind, bodies.Awaited] = {
    Kind.CLIENT: "result",
    Kind.LOCAL: "approval",
    Kind.PERSON: "answer",
}


def _failure(failure: Failure) -> bodies.FailureView:
    return bodies.FailureView(
        message=failure.message,
        kind=failure.kind,
        retryable=failure.retryable,
        detail=failure.detail,
        provider=failure.provider,
        status_code=failure.status_code,
    )


def _retry(retry: RetryState) -> bodies.RetryView:
    return bodies.RetryView(
        attempt=retry.attempt,
        delay_ms=retry.delay_ms,
        error=retry.error,
        kind=retry.kind,
        retrying_at=retry.retrying_at,
        provider=retry.provider,
        status_code=retry.status_code,
    )
