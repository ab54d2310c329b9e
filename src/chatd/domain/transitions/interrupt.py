"""A user says stop."""

from msgspec import Struct

from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.locked import LockedChat
from chatd.domain.turns import stopping

STOPPED = "The user stopped the agent."


class Interrupt(Struct, frozen=True, kw_only=True):
    reason: str = STOPPED


def interrupt(locked: LockedChat, command: Interrupt) -> Change:
    """A working agent is told to save what it has. One that waits for a client or a person has
    nothing to save: its turn is over, and the model is not called again.
    """
    if locked.chat.status is Status.RUNNING:
        return Change(execution=Execution(status=Status.INTERRUPTING))
    return stopping(locked, why=command.reason)
