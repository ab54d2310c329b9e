"""Reading lists of chats of others: those that were shared with a user, and all."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import MessageId, UserId
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.reads.read import Page, Place, title_pattern
from chatd.storage.rows import chat_of


class SharedWith(Struct, frozen=True):
    """The user to whom chats were granted, and whether they are meant by everyone."""

    user_id: UserId
    everyone: bool


async def list_shared(
    db: Database,
    who: SharedWith,
    *,
    archived: bool,
    title: str = "",
    unread: bool | None = None,
    after: Place | None = None,
    limit: int,
) -> Page:
    """One page of the chats of others that a user may read by a grant: their pinned ones first."""
    place = after or Place()

    async def body(tx: Connection) -> Page:
        rows = await tx.all(
            "list_shared_chats",
            who.user_id,
            who.everyone,
            archived,
            title_pattern(title),
            place.unpinned,
            place.pin_order,
            place.newest_first,
            place.chat_id,
            limit + 1,
            unread,
        )
        found = [(pin_order, chat_of(columns)) for pin_order, *columns in rows]
        if len(found) <= limit:
            return Page(tuple(chat for _, chat in found), None)
        pin_order, last = found[limit - 1]
        more = Place(pin_order == 0, pin_order, -last.updated_at, last.id)
        return Page(tuple(chat for _, chat in found[:limit]), more)

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def list_all(
    db: Database,
    *,
    owner_id: str | None,
    service_id: UserId | None,
    archived: bool,
    title: str = "",
    after: Place | None = None,
    limit: int,
) -> Page:
    """One page of the chats of a user, of a service's end users, or of everybody; the newest first."""
    place = after or Place(newest_first=-(2**62))

    async def body(tx: Connection) -> Page:
        rows = await tx.all(
            "list_all_chats",
            owner_id,
            service_id,
            archived,
            title_pattern(title),
            place.newest_first,
            place.chat_id,
            limit + 1,
        )
        chats = tuple(chat_of(row) for row in rows)
        if len(chats) <= limit:
            return Page(chats, None)
        last = chats[limit - 1]
        return Page(chats[:limit], Place(newest_first=-last.updated_at, chat_id=last.id))

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def owners_of_shared(tx: Connection, who: SharedWith, *, limit: int) -> list[UserId]:
    """Whose chats were shared with a user."""
    return [UserId(row[0]) for row in await tx.all("owners_of_shared", who.user_id, who.everyone, limit)]


async def shared_among(
    tx: Connection, who: SharedWith, chat_ids: Sequence[str]
) -> list[tuple[MessageId, Chat]]:
    """Which of these chats were shared with a user, with what they have read of each."""
    rows = await tx.all("shared_among", who.user_id, who.everyone, encode_text(list(chat_ids)))
    return [(MessageId(read_id), chat_of(columns)) for read_id, *columns in rows]
