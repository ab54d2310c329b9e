"""A user says something: now, behind the running turn, in between its steps, or instead of it."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Chat, Status
from chatd.domain.decision.change import Change, Execution, Waiting
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import AT_REST, starting, starting_with
from chatd.domain.limits import QUEUE_MESSAGES_MAX
from chatd.domain.message import Draft, Role
from chatd.domain.setup import SetupChange
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
    # What was asked for with the key of the message, as a check sum.
    digest: str = ""
    # What the chat is set up with from this message on: a queued one changes nothing until it enters history.
    setup: SetupChange | None = None


def send_message(locked: LockedChat, command: SendMessage) -> Change:
    """Answer at once when the chat is free; otherwise the message waits as `when` says."""
    _check(command)
    chat = locked.chat
    message = replace(command.message, created_by=command.message.created_by or chat.owner_id)
    if chat.status in AT_REST or (
        # Nothing is under way that would have to be saved first.
        chat.status is Status.REQUIRES_ACTION and command.when is When.INTERRUPT
    ):
        return _starting(locked, message, command)
    return Change(execution=_undisturbed(chat, command.when), enqueue=(_waiting(locked, message, command),))


def _undisturbed(chat: Chat, when: When) -> Execution:
    """A busy agent goes on, unless it is to stop."""
    if chat.status is Status.REQUIRES_ACTION:
        return Execution(status=chat.status, deadline_at=chat.deadline_at)
    return Execution(
        status=Status.INTERRUPTING if when is When.INTERRUPT else chat.status,
        compaction_requested_at=chat.compaction_requested_at,
    )


def _starting(locked: LockedChat, message: Draft, command: SendMessage) -> Change:
    """At once, unless there is a queue: what was queued before goes first."""
    if not locked.queue:
        setup = (command.setup,) if command.setup is not None else ()
        return replace(starting(locked, message, why=SUPERSEDED), setup=setup)
    change = starting_with(locked, locked.head, why=SUPERSEDED)
    return replace(change, enqueue=(_waiting(locked, message, command),))


def _check(command: SendMessage) -> None:
    if command.message.role is not Role.USER:
        raise BadInput("not_a_user_message", f"A {command.message.role} message cannot be sent; users send.")
    if command.when not in set(When):
        choices = ", ".join(When)
        raise BadInput(
            "unknown_when", f"`when` is {command.when!r}; it must be one of {choices}.", field="when"
        )


def _waiting(locked: LockedChat, message: Draft, command: SendMessage) -> Waiting:
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
        steered=command.when is When.STEER,
        model=message.model,
        effort=message.effort,
        key=message.key,
        setup=command.setup,
    )
