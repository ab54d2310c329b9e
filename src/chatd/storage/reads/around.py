"""What a caller is told of a chat beside the chat: whose it is, whether it is shared, and their own marks."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.people.marks import NO_MARKS, Marks
from chatd.kit.codec import encode_text
from chatd.storage.database import Database, Pace, Row
from chatd.storage.rows import chat_of


class OwnerName(Struct, frozen=True):
    name: str
    display_name: str


class Around(Struct, frozen=True, kw_only=True):
    owner: OwnerName
    shared: bool
    marks: Marks


# How many columns tell what is around a chat.
_COLUMNS = 6

# A chat that went away meanwhile.
GONE = Around(owner=OwnerName("", ""), shared=False, marks=NO_MARKS)


async def read_chat_around(db: Database, user_id: UserId, chat_id: ChatId) -> tuple[Chat, Around] | None:
    """A chat, and for this user what is around it, in one query. None: there is no such chat."""
    row = await db.read(lambda tx: tx.one("chat_with_around", user_id, chat_id), pace=Pace.ONE_QUERY)
    return chat_and_around(row, user_id) if row is not None else None


async def read_around(db: Database, user_id: UserId, chats: Iterable[Chat]) -> dict[ChatId, Around]:
    """For this user, of each of these chats that is still there."""
    by_id = {chat.id: chat for chat in chats}
    if not by_id:
        return {}
    rows = await db.read(
        lambda tx: tx.all("around_chats", user_id, encode_text(list(by_id))), pace=Pace.ONE_QUERY
    )
    return {ChatId(row[0]): _around(by_id[ChatId(row[0])], user_id, row[1:]) for row in rows}


def chat_and_around(row: Row, user_id: UserId) -> tuple[Chat, Around]:
    """Of a row of a query that tells both."""
    chat = chat_of(row[_COLUMNS:])
    return chat, _around(chat, user_id, row[:_COLUMNS])


def _around(chat: Chat, user_id: UserId, columns: Sequence[object]) -> Around:
    """The owner's marks are in the chat's row, but for `muted`."""
    name, display_name, shared, read_id, pin_order, muted = columns
    is_owner = chat.owner_id == user_id
    return Around(
        owner=OwnerName(str(name), str(display_name)),
        shared=bool(shared),
        marks=Marks(
            read_id=chat.read_id if is_owner else _number(read_id),
            pin_order=chat.pin_order if is_owner else _number(pin_order),
            muted=bool(muted),
        ),
    )


def _number(column: object) -> MessageId:
    return MessageId(column if isinstance(column, int) else 0)
