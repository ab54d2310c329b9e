"""What a runner does in each status: a table."""

from collections.abc import Awaitable, Callable, Mapping

from chatd.agent.calls.expire_request import expire_request
from chatd.agent.generation.save_interrupted import save_interrupted
from chatd.agent.hold.hold import Hold
from chatd.agent.step import run_turn
from chatd.domain.chat import Status
from chatd.domain.decision.fence import has_work
from chatd.domain.decision.locked import LockedChat

Duty = Callable[[Hold], Awaitable[None]]

DUTIES: Mapping[Status, Duty] = {
    Status.RUNNING: run_turn,
    Status.INTERRUPTING: save_interrupted,
    Status.REQUIRES_ACTION: expire_request,
}


def duty_of(locked: LockedChat) -> Duty | None:
    """None: there is nothing to do, and the chat is to be given back."""
    return DUTIES[locked.chat.status] if has_work(locked) else None
