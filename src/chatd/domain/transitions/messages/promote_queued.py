"""A user wants a waiting message to be next, now."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import starting_with
from chatd.domain.ids import QueuedId
from chatd.errors import NotFound

SUPERSEDED = "The user asked for a queued message instead."


class PromoteQueued(Struct, frozen=True, kw_only=True):
    queued_id: QueuedId


def promote_queued(locked: LockedChat, command: PromoteQueued) -> Change:
    """A working agent is stopped first; one that does nothing starts at once."""
    row = next((row for row in locked.queue if row.id == command.queued_id), None)
    if row is None:
        raise NotFound("queued_message_not_found", f"No message {command.queued_id} is waiting.")
    if locked.chat.status in (Status.RUNNING, Status.INTERRUPTING):
        return Change(execution=Execution(status=Status.INTERRUPTING), first=(row.id,))
    change = starting_with(locked, row, why=SUPERSEDED)
    return replace(change, first=(row.id,))
