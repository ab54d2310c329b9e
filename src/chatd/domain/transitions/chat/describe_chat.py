"""A user names, labels, pins, reads, keeps or sets up a chat. Possible at any time: it decides nothing."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.chat import Chat
from chatd.domain.decision.change import Change, Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import MessageId
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import SetupChange
from chatd.errors import NotAllowed


class DescribeChat(Struct, frozen=True, kw_only=True):
    details: Details
    setup: SetupChange | None = None


def describe_chat(locked: LockedChat, command: DescribeChat) -> Change:
    check_pin(locked.chat, command.details.pin_order or 0)
    setup = (command.setup,) if command.setup is not None else ()
    details = command.details
    if details.title is not None:
        # From now on no model renames it by itself.
        details = replace(details, title_by=TitleBy.PERSON)
    if details.read_id is not None:
        details = replace(details, read_id=read_after(locked.chat, details.read_id))
    return Change(details=details, setup=setup)


def check_pin(chat: Chat, pin_order: int) -> None:
    """Raises NotAllowed. 0 is no pin."""
    if pin_order and (chat.archived or chat.parent_id is not None):
        raise NotAllowed("not_pinnable", "Archived chats and chats that work for another cannot be pinned.")


def read_after(chat: Chat, read_id: MessageId) -> MessageId:
    """What the owner has read once they have read this message."""
    return moved_on(chat, chat.read_id, read_id)


def moved_on(chat: Chat, before: MessageId, read_id: MessageId) -> MessageId:
    """What somebody has read once they have read this message. 0: nothing, the chat is to be unread.

    Otherwise it only moves on: of two windows, the one that shows less may be the later one.
    """
    return MessageId(max(before, min(read_id, chat.last_number))) if read_id else read_id
