"""What was said in a chat, as far as a text about it needs it, however long the chat is."""

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.message import Message
from chatd.storage.database import Connection, Database
from chatd.storage.rows import chat_of, message_of

# Messages from the beginning, and from the end.
FIRST_MESSAGES = 4
LAST_MESSAGES = 24
# A longer message is left out: it would be read whole for a few of its words.
MESSAGE_CHARACTERS_MAX = 300_000


class Spoken(Struct, frozen=True):
    chat: Chat
    # By users and by the agent, oldest first.
    messages: tuple[Message, ...]


async def read_spoken(db: Database, chat_id: ChatId) -> Spoken | None:
    """None: there is no such chat."""

    async def body(tx: Connection) -> Spoken | None:
        row = await tx.one("read_chat", chat_id)
        if row is None:
            return None
        rows = list(await tx.all("last_spoken", chat_id, MESSAGE_CHARACTERS_MAX, LAST_MESSAGES))
        if len(rows) == LAST_MESSAGES:
            rows += await tx.all("first_spoken", chat_id, MESSAGE_CHARACTERS_MAX, FIRST_MESSAGES)
        found = {message.id: message for message in map(message_of, rows)}
        return Spoken(chat_of(row), tuple(found[number] for number in sorted(found)))

    return await db.read(body)
