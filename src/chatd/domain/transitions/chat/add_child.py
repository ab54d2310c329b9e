"""Another chat works for this one from now on. Its row is written in the same transaction."""

from msgspec import Struct

from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat


class AddChild(Struct, frozen=True):
    pass


def add_child(locked: LockedChat, _: AddChild) -> Change:
    return Change(details=Details(children=locked.chat.children + 1))
