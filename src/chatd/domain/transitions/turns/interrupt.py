"""A user says stop."""

from msgspec import Struct

from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import stopping
from chatd.domain.ids import MessageId
from chatd.errors import NotAllowed, NotFound

STOPPED = "The user stopped the agent."


class Interrupt(Struct, frozen=True, kw_only=True):
    reason: str = STOPPED
    # Only the turn that this message belongs to is meant.
    message_id: MessageId | None = None


def interrupt(locked: LockedChat, command: Interrupt) -> Change:
    """A working agent is told to save what it has. One that waits for a client or a person has
    nothing to save: its turn is over, and the model is not called again.
    """
    if command.message_id is not None:
        _check_turn(locked, command.message_id)
    if locked.chat.status is Status.RUNNING:
        return Change(execution=Execution(status=Status.INTERRUPTING))
    return stopping(locked, why=command.reason)


def _check_turn(locked: LockedChat, message_id: MessageId) -> None:
    """A caller that wants one turn stopped must not stop the next one, which began meanwhile."""
    known = locked.chat.projection
    if message_id > known.last_id:
        raise NotFound(
            "message_not_found", f"This chat has no message {message_id} in its history.", field="message_id"
        )
    if message_id < known.turn_start:
        raise NotAllowed(
            "newer_turn",
            f"The turn of message {message_id} is over; the agent works on message {known.turn_start}.",
            field="message_id",
            hint="Leave `message_id` out to stop whatever runs.",
        )
