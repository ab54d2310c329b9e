"""What somebody marks in a chat for themselves."""

from msgspec import Struct

from chatd.domain.ids import MessageId


class Marks(Struct, frozen=True, kw_only=True):
    # The newest message that they have read.
    read_id: MessageId = MessageId(0)
    # Its place among their pinned chats; 0: it is not pinned.
    pin_order: int = 0
    # Whether they want to be told nothing of it.
    muted: bool = False


NO_MARKS = Marks()
