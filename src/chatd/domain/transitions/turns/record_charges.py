"""A worker notes model calls that were paid for and did not become a message."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.usage.charge import Charge


class RecordCharges(Struct, frozen=True, kw_only=True):
    charges: tuple[Charge, ...]


def record_charges(_: LockedChat, command: RecordCharges) -> Change:
    return Change(charges=command.charges)
