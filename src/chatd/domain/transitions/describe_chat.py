"""A user gives a chat a title or labels, pins or keeps it. Possible at any time: it decides nothing."""

from msgspec import Struct

from chatd.domain.change import Change, Details
from chatd.domain.locked import LockedChat
from chatd.errors import NotAllowed


class DescribeChat(Struct, frozen=True, kw_only=True):
    details: Details


def describe_chat(locked: LockedChat, command: DescribeChat) -> Change:
    if command.details.pin_order and (locked.chat.archived or locked.chat.parent_id is not None):
        raise NotAllowed("not_pinnable", "Archived chats and chats that work for another cannot be pinned.")
    return Change(details=command.details)
