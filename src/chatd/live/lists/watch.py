"""Watching a list of chats: listen first, then read, then look again whenever the bell rings."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.errors import Unavailable
from chatd.hints.hint import ChatDeleted, Hint
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.events import FeedEvent, ListPaused, Missed
from chatd.live.lists.feed import COMPARED_MAX, Feed, Listing
from chatd.storage.reads.read import list_chats, read_chats, read_list
from chatd.storage.transactions.families import NO_CHILDREN, read_all_children, read_waiting_for
from chatd.storage.transactions.transact import Store

# Of these it is known from the start what they were.
LOOKED_AT_MAX = 100
# While the database is away: between two looks whether it is back.
AWAY_SECONDS = 1.0


async def watch_list(
    store: Store, clock: Clock, owner_id: UserId, *, cursor: int | None, bell: Bell
) -> AsyncIterator[list[FeedEvent]]:
    """What changes among a user's chats after the cursor, until the bell ends it.

    A database that goes away later is waited for: the watcher is told that, and when it is over.
    """
    with store.hints.listening_to_owner(owner_id, bell) as hints:
        # In this order: what changes in between is told, and not taken for known.
        newest = await list_chats(store.db, owner_id, archived=False, limit=LOOKED_AT_MAX)
        feed = Feed(await _versions(store, owner_id))
        feed.remember_looks(await _listings(store, newest.chats))
        del newest
        watching = _Watching(store, clock, owner_id, feed)
        yield [] if feed.is_at(cursor) else [Missed(cursor=feed.cursor)]
        while await bell.wait():
            try:
                events = await watching.look_again(hints.take())
            except Unavailable:
                events = watching.stay(bell)
            yield events
            del events


class _Watching:
    """One watcher, and where what they are told comes from."""

    def __init__(self, store: Store, clock: Clock, owner_id: UserId, feed: Feed) -> None:
        self._store = store
        self._clock = clock
        self._owner_id = owner_id
        self._feed = feed
        # When to look again at a database that was away, by the monotonic clock; None: it is there.
        self._look_at: float | None = None

    def stay(self, bell: Bell) -> list[FeedEvent]:
        """The database is away. What hints have told meanwhile is found when it is back."""
        is_new = self._look_at is None
        self._look_at = self._clock.monotonic() + AWAY_SECONDS
        asyncio.get_running_loop().call_later(AWAY_SECONDS, bell.ring)
        return [ListPaused(paused=True, cursor=self._feed.cursor)] if is_new else []

    async def look_again(self, heard: Sequence[Hint]) -> list[FeedEvent]:
        if self._look_at is None:
            return await self._own(heard)
        if self._clock.monotonic() < self._look_at:
            return []
        events = await self._after_outage()
        self._look_at = None
        return [*events, ListPaused(paused=False, cursor=self._feed.cursor)]

    async def _after_outage(self) -> list[FeedEvent]:
        if self._feed.compares:
            return await self._own(())
        # We cannot tell what was missed.
        await _versions(self._store, self._owner_id)
        return [Missed(cursor=self._feed.cursor)]

    async def _own(self, heard: Sequence[Hint]) -> list[FeedEvent]:
        """Of the user's own chats: those that hints name, or else all that differ."""
        store, feed = self._store, self._feed
        gone, moved = _sorted(heard) if heard else feed.differences(await _versions(store, self._owner_id))
        # A hint names the parent itself when a child does something else.
        chats = await _roots(store, feed, moved, with_parents=not heard)
        # Those that were handed over are in the list of somebody else.
        left = [chat.id for chat in chats if chat.owner_id != self._owner_id]
        ours = [chat for chat in chats if chat.owner_id == self._owner_id]
        # Read before anything is noted as told.
        listings = await _listings(store, ours)
        return feed.lose([*gone, *left]) + feed.see(listings)


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
