"""A user names, labels, pins, keeps or sets up a chat. Possible at any time: it decides nothing."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import SetupChange
from chatd.errors import NotAllowed


class DescribeChat(Struct, frozen=True, kw_only=True):
    details: Details
    setup: SetupChange | None = None


def describe_chat(locked: LockedChat, command: DescribeChat) -> Change:
    if command.details.pin_order and (locked.chat.archived or locked.chat.parent_id is not None):
        raise NotAllowed("not_pinnable", "Archived chats and chats that work for another cannot be pinned.")
    setup = (command.setup,) if command.setup is not None else ()
    details = command.details
    if details.title is not None:
        # From now on no model renames it by itself.
        details = replace(details, title_by=TitleBy.PERSON)
    return Change(details=details, setup=setup)
