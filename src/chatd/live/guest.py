"""What is seen of a chat by a public link: words that were said, and by which role. Every field is named.

What a link includes beyond that is for what makes links; nothing here grows by itself.
"""

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.domain.message import Message, Role
from chatd.domain.part import Content, Text
from chatd.kit.clock import rfc3339
from chatd.live.shapes import Moment


class GuestMessage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Without reasoning, calls, results, files, and without who sent it."""

    id: int
    chat_id: str
    role: Role
    content: Content
    created_at: Moment


def guest_message(chat_id: ChatId, message: Message) -> GuestMessage:
    return GuestMessage(
        id=message.id,
        chat_id=chat_id,
        role=message.role,
        content=tuple(part for part in message.content if isinstance(part, Text)),
        created_at=rfc3339(message.created_at),
    )
