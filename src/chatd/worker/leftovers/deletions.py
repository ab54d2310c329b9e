"""Which chats were deleted: told by hints, or found by looking, since a hint may be missed."""

from collections.abc import Collection

from chatd.domain.ids import ChatId
from chatd.hints.bus import Heard
from chatd.hints.hint import ChatDeleted
from chatd.storage.database import Database
from chatd.storage.reads.checkpoints import existing_chats


async def next_deletions(heard: Heard) -> set[ChatId]:
    """Waits until some were deleted."""
    while True:
        hints = await heard.wait_for_hints()
        if deleted := {hint.chat_id for hint in hints if isinstance(hint, ChatDeleted)}:
            return deleted


async def deleted_among(db: Database, chat_ids: Collection[ChatId]) -> set[ChatId]:
    return set(chat_ids) - await existing_chats(db, chat_ids) if chat_ids else set()
