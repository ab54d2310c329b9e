"""Calls whose start is noted in the ledger, and that have not begun."""

from msgspec.structs import replace

from chatd.domain.call import Call, CallState
from chatd.domain.decision.locked import LockedChat


def noted_here(locked: LockedChat, call: Call) -> bool:
    """Whether the runner of the chat has noted the start. Only it knows whether the call has begun."""
    lease = locked.chat.lease
    return call.state is CallState.STARTED and lease is not None and call.runner_id == lease.runner_id


def reopened(call: Call) -> Call:
    """As it was before its start was noted."""
    return replace(call, state=CallState.OPEN, runner_id=None, started_at=None)
