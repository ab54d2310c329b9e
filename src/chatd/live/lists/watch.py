"""Watching a list of chats: listen first, then read, then look again whenever the bell rings."""

from collections.abc import AsyncIterator, Sequence

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.hint import ChatDeleted, Hint
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.events import FeedEvent, Missed
from chatd.live.lists.feed import COMPARED_MAX, Feed, Listing
from chatd.storage.reads.read import list_chats, read_chats, read_list
from chatd.storage.transactions.families import NO_CHILDREN, read_all_children, read_waiting_for
from chatd.storage.transactions.transact import Store

# Of these it is known from the start what they were.
LOOKED_AT_MAX = 100


async def watch_list(
    store: Store, owner_id: UserId, *, cursor: int | None, bell: Bell
) -> AsyncIterator[list[FeedEvent]]:
    """What changes among a user's chats after the cursor, until the bell ends it."""
    with store.hints.listening_to_owner(owner_id, bell) as hints:
        # In this order: what changes in between is told, and not taken for known.
        newest = await list_chats(store.db, owner_id, archived=False, limit=LOOKED_AT_MAX)
        feed = Feed(await _versions(store, owner_id))
        feed.remember_looks(await _listings(store, newest.chats))
        del newest
        yield [] if feed.is_at(cursor) else [Missed(cursor=feed.cursor)]
        while await bell.wait():
            heard = hints.take()
            gone, moved = _sorted(heard) if heard else feed.differences(await _versions(store, owner_id))
            # A hint names the parent itself when a child does something else.
            chats = await _roots(store, feed, moved, with_parents=not heard)
            # Those that were handed over are in the list of somebody else.
            left = [chat.id for chat in chats if chat.owner_id != owner_id]
            ours = [chat for chat in chats if chat.owner_id == owner_id]
            yield feed.lose([*gone, *left]) + feed.see(await _listings(store, ours))
            del heard, gone, moved, chats


async def _roots(store: Store, feed: Feed, moved: Sequence[ChatId], *, with_parents: bool) -> list[Chat]:
    """Of the chats that moved those in the list, and perhaps those that the others work for."""
    chats = await read_chats(store.db, moved) if moved else []
    children = [chat for chat in chats if chat.parent_id is not None]
    for child in children:
        feed.remember(child)
    parents = {child.parent_id for child in children if child.parent_id is not None} - set(moved)
    chats += await read_chats(store.db, sorted(parents)) if parents and with_parents else []
    return [chat for chat in chats if chat.parent_id is None and not chat.temporary]


async def _listings(store: Store, chats: Sequence[Chat]) -> list[Listing]:
    children = await read_all_children(store.db, chats)
    return [
        Listing(
            chat,
            await read_waiting_for(store.db, chat.id) if chat.status is Status.REQUIRES_ACTION else (),
            children.get(chat.id, NO_CHILDREN),
        )
        for chat in chats
    ]


async def _versions(store: Store, owner_id: UserId) -> dict[ChatId, int]:
    return await read_list(store.db, owner_id, limit=COMPARED_MAX + 1)


def _sorted(hints: Sequence[Hint]) -> tuple[list[ChatId], list[ChatId]]:
    gone = [hint.chat_id for hint in hints if isinstance(hint, ChatDeleted)]
    return gone, [hint.chat_id for hint in hints if hint.chat_id not in gone]
