"""What chats tell about checkpoints: which steps have changed files, and who is at work where."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from chatd.domain.ids import ChatId, MessageId
from chatd.domain.message import Role
from chatd.domain.part import Content, Text
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened
from chatd.storage.database import Connection, Database
from chatd.storage.reads.chunks import LAST_ID
from chatd.storage.rows import content_of, setup_of

# Chats whose workspaces are compared. A process drives fewer at once.
AT_WORK_MAX = 1000
WORDS_LENGTH_MAX = 80


class Said(Struct, frozen=True, kw_only=True):
    """A message that people see, and what came after it in time, on whichever branch."""

    role: Role
    # What it begins with.
    words: str
    next_user_message: MessageId | None


async def read_said(db: Database, chat_id: ChatId, message_id: MessageId) -> Said | None:
    async def body(tx: Connection) -> Said | None:
        said = await tx.one("role_and_words", chat_id, message_id)
        if said is None:
            return None
        role, content = said
        following = await tx.one("next_user_message", chat_id, message_id)
        number = following[0] if following is not None else None
        return Said(
            role=Role(role),
            words=_beginning(content_of(content)),
            next_user_message=MessageId(number) if number is not None else None,
        )

    return await db.read(body)


async def first_change(
    db: Database, chat_id: ChatId, since: MessageId, before: MessageId | None
) -> MessageId | None:
    """The first message from one on, and before another, whose calls may have changed files."""

    async def body(tx: Connection) -> MessageId | None:
        row = await tx.one("changing_message", chat_id, since, before if before is not None else LAST_ID)
        return MessageId(row[0]) if row is not None and row[0] is not None else None

    return await db.read(body)


async def was_noticed(db: Database, chat_id: ChatId, since: MessageId, beginning: str) -> bool:
    """Whether people were told something with this beginning after a message."""

    async def body(tx: Connection) -> bool:
        rows = await tx.all("notices_since", chat_id, since)
        contents = [content_of(content) for (content,) in rows]
        return any(isinstance(part, Text) and part.text.startswith(beginning) for c in contents for part in c)

    return await db.read(body)


async def workspaces_at_work(db: Database, other_than: ChatId) -> Sequence[tuple[ChatId, str]]:
    """The chats that are being worked on, each with its workspace."""

    async def body(tx: Connection) -> list[tuple[ChatId, str]]:
        rows = await tx.all("setups_at_work", other_than, AT_WORK_MAX)
        setups = [(ChatId(chat_id), setup_of((setup,))) for chat_id, setup in rows]
        return [(chat_id, each.workspace) for chat_id, each in setups if each.workspace is not None]

    return await db.read(body)


async def existing_chats(db: Database, chat_ids: Collection[ChatId]) -> frozenset[ChatId]:
    """Those of these chats that there are."""

    async def body(tx: Connection) -> frozenset[ChatId]:
        rows = await tx.all("existing_chats", encode_text(sorted(chat_ids)))
        return frozenset(ChatId(row[0]) for row in rows)

    return await db.read(body)


def _beginning(content: Content) -> str:
    words = next((part.text for part in content if isinstance(part, Text)), "")
    return shortened(one_line(words.strip()[: WORDS_LENGTH_MAX + 1]), WORDS_LENGTH_MAX)
