"""What each user marks in a chat for themselves: how far they have read, a pin, and that they want no news.

What the owner has read and pinned is in the chat's row: their lists come out of one index.
"""

from msgspec import UNSET, Struct, UnsetType

from chatd.domain.chat import Chat
from chatd.domain.decision.change import Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, MessageId, UserId
from chatd.domain.people.marks import Marks
from chatd.domain.transitions.chat.describe_chat import DescribeChat, check_pin, moved_on
from chatd.errors import NotAllowed, NotFound
from chatd.hints.hint import ChildChanged
from chatd.storage.database import Connection
from chatd.storage.rows import chat_of
from chatd.storage.transactions.transact import Admit, Store, transact


class MarkChange(Struct, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    read_id: MessageId | UnsetType = UNSET
    pin_order: int | UnsetType = UNSET
    muted: bool | UnsetType = UNSET


async def mark(store: Store, user_id: UserId, chat_id: ChatId, change: MarkChange, admit: Admit) -> None:
    """All of it or nothing. `admit` raises when the caller may not. Raises NotFound and NotAllowed."""

    async def body(tx: Connection) -> bool:
        row = await tx.one("read_chat", chat_id)
        if row is None:
            raise NotFound("chat_not_found", f"There is no chat {chat_id}.")
        chat = chat_of(row)
        await admit(tx, LockedChat(chat=chat, now=chat.updated_at))
        if chat.owner_id == user_id and (change.read_id is not UNSET or change.pin_order is not UNSET):
            return False
        before = await read_marks(tx, user_id, chat_id)
        after = _after(chat, before, change)
        if after != before:
            await save_marks(tx, user_id, chat_id, after)
        return True

    if await store.db.write(body):
        # For other windows of theirs.
        store.hints.publish(ChildChanged(chat_id=chat_id, owner_id=user_id))
    else:
        await _mark_own(store, user_id, chat_id, change, admit)


def owner_changed() -> NotAllowed:
    """The marks in a chat's row are its owner's: whoever handed it over meanwhile must not move them."""
    return NotAllowed(
        "owner_changed",
        "This chat has got another owner meanwhile.",
        hint="Look at it again, and repeat what you still want.",
    )


async def read_marks(tx: Connection, user_id: UserId, chat_id: ChatId) -> Marks:
    """Those of somebody who is not the owner."""
    row = await tx.one("marks_of", user_id, chat_id)
    if row is None:
        return Marks()
    return Marks(read_id=row[0], pin_order=row[1], muted=bool(row[2]))


async def save_marks(tx: Connection, user_id: UserId, chat_id: ChatId, marks: Marks) -> None:
    await tx.run("save_marks", user_id, chat_id, marks.read_id, marks.pin_order, marks.muted)


async def _mark_own(store: Store, user_id: UserId, chat_id: ChatId, change: MarkChange, admit: Admit) -> None:
    async def beside(tx: Connection, locked: LockedChat) -> None:
        await admit(tx, locked)
        if locked.chat.owner_id != user_id:
            raise owner_changed()
        if change.muted is not UNSET:
            await save_marks(tx, user_id, chat_id, Marks(muted=change.muted))

    details = Details(
        read_id=change.read_id if change.read_id is not UNSET else None,
        pin_order=change.pin_order if change.pin_order is not UNSET else None,
    )
    await transact(store, chat_id, DescribeChat(details=details), admit=beside)


def _after(chat: Chat, before: Marks, change: MarkChange) -> Marks:
    if change.pin_order is not UNSET:
        check_pin(chat, change.pin_order)
    return Marks(
        read_id=before.read_id if change.read_id is UNSET else moved_on(chat, before.read_id, change.read_id),
        pin_order=before.pin_order if change.pin_order is UNSET else change.pin_order,
        muted=before.muted if change.muted is UNSET else change.muted,
    )
