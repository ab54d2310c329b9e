"""A worker is about to call the model or to run tools."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.projection import Counted


class BeginAttempt(Struct, frozen=True, kw_only=True):
    counted: Counted | None = None


def begin_attempt(_: LockedChat, command: BeginAttempt) -> Change:
    """Counted before the call: a crash in the middle must not earn a free retry."""
    return Change(next_attempt=True, counted=command.counted)
