"""A user says something: now, behind the running turn, in between its steps, or instead of it."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.answers import closing
from chatd.domain.change import Change, Execution, Waiting
from chatd.domain.chat import Status
from chatd.domain.limits import QUEUE_MESSAGES_MAX
from chatd.domain.locked import LockedChat
from chatd.domain.message import Draft, Role
from chatd.domain.turns import starting, starting_with
from chatd.errors import BadInput, LimitReached

SUPERSEDED = "The user sent a new message instead."


class When(StrEnum):
    """When a busy agent should hear a message."""

    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"


class SendMessage(Struct, frozen=True, kw_only=True):
    message: Draft
    when: When


def send_message(locked: LockedChat, command: SendMessage) -> Change:
    """Answer at once when the chat is free; otherwise the message waits as `when` says."""
    _check(command)
    chat = locked.chat
    message = replace(command.message, created_by=command.message.created_by or chat.owner_id)
    match chat.status:
        case Status.WAITING:
            return starting(locked, message, why=SUPERSEDED)
        case Status.ERROR if not locked.queue:
            return starting(locked, message, why=SUPERSEDED)
        case Status.ERROR:
            # What was queued before the failure goes first.
            change = starting_with(locked, locked.head, why=SUPERSEDED)
            return replace(change, enqueue=(_waiting(locked, message, command.when),))
        case Status.RUNNING | Status.INTERRUPTING:
            stop = chat.status is Status.INTERRUPTING or command.when is When.INTERRUPT
            execution = Execution(
                status=Status.INTERRUPTING if stop else Status.RUNNING,
                compaction_requested_at=chat.compaction_requested_at,
            )
            return Change(execution=execution, enqueue=(_waiting(locked, message, command.when),))
        case Status.REQUIRES_ACTION:
            return _to_waiting_agent(locked, message, command.when)


def _to_waiting_agent(locked: LockedChat, message: Draft, when: When) -> Change:
    waiting = (_waiting(locked, message, when),)
    if when is not When.INTERRUPT:
        execution = Execution(status=Status.REQUIRES_ACTION, deadline_at=locked.chat.deadline_at)
        return Change(execution=execution, enqueue=waiting)
    # Not into history yet: the worker ends the turn first, so that the message starts the next one.
    return Change(
        execution=Execution(status=Status.RUNNING),
        append=closing(locked, locked.calls, SUPERSEDED),
        enqueue=waiting,
    )


def _check(command: SendMessage) -> None:
    if command.message.role is not Role.USER:
        raise BadInput("not_a_user_message", f"A {command.message.role} message cannot be sent; users send.")
    if command.when not in set(When):
        choices = ", ".join(When)
        raise BadInput(
            "unknown_when", f"`when` is {command.when!r}; it must be one of {choices}.", field="when"
        )


def _waiting(locked: LockedChat, message: Draft, when: When) -> Waiting:
    if len(locked.queue) >= QUEUE_MESSAGES_MAX:
        raise LimitReached(
            "queue_full",
            f"{QUEUE_MESSAGES_MAX} messages are waiting already.",
            limit=QUEUE_MESSAGES_MAX,
            hint="Wait until the agent has taken one, or take one back.",
        )
    assert message.created_by is not None
    return Waiting(
        content=message.content,
        created_by=message.created_by,
        steered=when is When.STEER,
        model=message.model,
        effort=message.effort,
    )
