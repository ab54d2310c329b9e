"""A worker is about to call the model or to run tools."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat


class BeginAttempt(Struct, frozen=True, kw_only=True):
    # What a provider that refused a prompt counted for each hundred tokens of our estimate; 0: none has.
    counted_percent: int = 0


def begin_attempt(_: LockedChat, command: BeginAttempt) -> Change:
    """Counted before the call: a crash in the middle must not earn a free retry."""
    return Change(next_attempt=True, counted_percent=command.counted_percent)
