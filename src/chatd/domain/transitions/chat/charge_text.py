"""A model call beside the turns was paid for: it was made for a title, a label or a summary of the chat."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.usage.charge import Charge


class ChargeText(Struct, frozen=True, kw_only=True):
    """The charge has no history and no attempt: it is named when it is recorded, and recorded once."""

    charge: Charge


def charge_text(_: LockedChat, command: ChargeText) -> Change:
    return Change(text_charges=(command.charge,))
