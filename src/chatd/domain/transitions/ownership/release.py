"""A worker gives a chat back."""

from msgspec import Struct

from chatd.domain.decision.change import Change, Owned
from chatd.domain.decision.locked import LockedChat
from chatd.errors import NotAllowed


class Release(Struct, frozen=True):
    pass


def release(locked: LockedChat, _: Release) -> Change:
    if locked.chat.lease is None:
        raise NotAllowed("not_owned", "No worker holds this chat.")
    return Change(owned=Owned(None))
