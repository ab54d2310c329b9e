"""A user says in which order waiting messages come."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import QueuedId
from chatd.errors import BadInput


class ReorderQueue(Struct, frozen=True, kw_only=True):
    """The whole queue as its user saw it, in the order they want."""

    queued_ids: tuple[QueuedId, ...]


def reorder_queue(locked: LockedChat, command: ReorderQueue) -> Change:
    """What has left the queue meanwhile is passed over, and what has joined it stays behind the others."""
    if len(set(command.queued_ids)) < len(command.queued_ids):
        raise BadInput("duplicate_queued", "A message of the queue is named twice.", field="queued_ids")
    waiting = {row.id for row in locked.queue}
    return Change(first=tuple(each for each in command.queued_ids if each in waiting))
