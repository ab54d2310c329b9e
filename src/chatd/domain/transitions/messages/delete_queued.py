"""A user takes back a message that still waits."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import QueuedId
from chatd.errors import NotFound


class DeleteQueued(Struct, frozen=True, kw_only=True):
    queued_id: QueuedId


def delete_queued(locked: LockedChat, command: DeleteQueued) -> Change:
    if not any(row.id == command.queued_id for row in locked.queue):
        raise NotFound("queued_message_not_found", f"No message {command.queued_id} is waiting.")
    return Change(dequeue=(command.queued_id,))
