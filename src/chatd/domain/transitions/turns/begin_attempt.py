"""A worker is about to call the model or to run tools."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat


class BeginAttempt(Struct, frozen=True):
    pass


def begin_attempt(_: LockedChat, __: BeginAttempt) -> Change:
    """Counted before the call: a crash in the middle must not earn a free retry."""
    return Change(next_attempt=True)
