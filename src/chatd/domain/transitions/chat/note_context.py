"""A worker has looked at the workspace again, and notes whether it differs from what is pinned."""

from msgspec import Struct

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat


class NoteContext(Struct, frozen=True, kw_only=True):
    # Of what the workspace tells now.
    hash: str
    # The version of the pin that it was compared with.
    over: int


def note_context(locked: LockedChat, command: NoteContext) -> Change:
    pinned = locked.chat.context
    if pinned is None or pinned.version != command.over:
        return Change()
    return Change(context_differs=pinned.hash != command.hash)
