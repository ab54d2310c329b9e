"""A user rewrites history from one message on. What is replaced stays readable as a branch."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat, MessageHead
from chatd.domain.decision.turns import starting
from chatd.domain.ids import MessageId, UserId
from chatd.domain.message import Draft, Effort, Role, Visibility
from chatd.domain.part import Content
from chatd.errors import NotAUserMessage, NotFound

EDITED = "The user edited an earlier message."


class QueueOnEdit(StrEnum):
    """What becomes of the messages that wait."""

    # They were accepted, and follow the edited message.
    KEEP = "keep"
    # They go; the caller is told which.
    DROP = "drop"


class EditMessage(Struct, frozen=True, kw_only=True):
    message_id: MessageId
    content: Content
    created_by: UserId | None = None
    # None keeps what the original message asked for.
    model: str | None = None
    effort: Effort | None = None
    suffix: tuple[Draft, ...] = ()
    queue: QueueOnEdit = QueueOnEdit.KEEP


def edit_message(locked: LockedChat, command: EditMessage) -> Change:
    """The suffix leaves, the replacement enters, and the agent runs. The queue stays, unless it is to go.

    What a worker was about to commit belongs to the branch that was left.
    """
    target = _target(locked, command)
    replacement = Draft(
        role=Role.USER,
        content=command.content,
        visibility=target.visibility,
        model=command.model or target.model,
        effort=command.effort or target.effort,
        created_by=command.created_by or target.created_by or locked.chat.owner_id,
    )
    kept = replace(locked, calls=tuple(call for call in locked.calls if call.message_id < target.id))
    change = starting(kept, replacement, *command.suffix, why=EDITED)
    dropped = locked.queue if command.queue is QueueOnEdit.DROP else ()
    return replace(change, cut_from=target.id, dequeue=tuple(row.id for row in dropped))


def _target(locked: LockedChat, command: EditMessage) -> MessageHead:
    target = next((head for head in locked.past.active if head.id == command.message_id), None)
    # A summary and a model's context are said in a user's place, but no person can see them.
    if target is None or target.compressed or target.visibility is Visibility.MODEL:
        raise NotFound("message_not_found", f"This chat has no message {command.message_id}.")
    if target.role is not Role.USER:
        raise NotAUserMessage(
            "not_a_user_message", f"Message {target.id} is not a user's; only those can be edited."
        )
    return target
