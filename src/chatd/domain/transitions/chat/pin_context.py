"""What the workspace tells is pinned to the chat: by a worker before a turn, or by a user who wants it new.

Possible at any time: it decides nothing. A model is told of it from its next step on.
"""

from msgspec import Struct

from chatd.domain.decision.change import Change, Pin
from chatd.domain.decision.locked import LockedChat
from chatd.domain.workspace.context import Context


class PinContext(Struct, frozen=True, kw_only=True):
    """No context: nothing is pinned any more."""

    context: Context | None
    # The version of the pin that it is to replace; 0: there was none. None: whichever is there.
    over: int | None = None


def pin_context(locked: LockedChat, command: PinContext) -> Change:
    if command.over is not None and command.over != locked.chat.pin_version:
        # Another caller has pinned something newer since the workspace was looked at.
        return Change()
    return Change(pin=Pin(command.context))
