"""A user says stop."""

from msgspec import Struct

from chatd.domain.answers import closing
from chatd.domain.change import Change, Execution
from chatd.domain.chat import Status
from chatd.domain.locked import LockedChat
from chatd.domain.turns import steering_in

STOPPED = "The user stopped the agent."


class Interrupt(Struct, frozen=True, kw_only=True):
    reason: str = STOPPED


def interrupt(locked: LockedChat, command: Interrupt) -> Change:
    """A working agent is told to save what it has. One that waits for somebody need not wait any more."""
    if locked.chat.status is Status.RUNNING:
        return Change(execution=Execution(status=Status.INTERRUPTING))
    change = Change(
        execution=Execution(status=Status.RUNNING),
        append=closing(locked, locked.calls, command.reason),
    )
    return steering_in(locked, change)
