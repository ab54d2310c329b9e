"""Chats that have work to do and of which a row cannot be read, for people who operate a server."""

from chatd.domain.ids import ChatId
from chatd.errors import ChatdError, Unavailable
from chatd.storage.database import Connection, Database
from chatd.storage.transactions.load import look

# Chats that are tried; each costs a read.
CHATS_MAX = 10_000


async def unreadable_chats(db: Database) -> list[ChatId]:
    """Workers leave these out. What they read of a chat when they take it is read here."""

    async def body(tx: Connection) -> list[ChatId]:
        return [row[0] for row in await tx.all("chats_with_work", CHATS_MAX)]

    return [chat_id for chat_id in await db.read(body) if not await _can_be_read(db, chat_id)]


async def _can_be_read(db: Database, chat_id: ChatId) -> bool:
    try:
        await look(db, chat_id)
    except (ChatdError, Unavailable):
        raise
    except Exception:  # noqa: BLE001 - whatever it is, no worker can read it either
        return False
    return True
