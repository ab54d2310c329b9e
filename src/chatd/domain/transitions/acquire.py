"""A worker takes a chat. Whether it may is a fence's question, asked under the same lock."""

from msgspec import Struct

from chatd.domain.change import Change, Owned
from chatd.domain.chat import Lease
from chatd.domain.locked import LockedChat


class Acquire(Struct, frozen=True, kw_only=True):
    lease: Lease


def acquire(_: LockedChat, command: Acquire) -> Change:
    return Change(owned=Owned(command.lease))
