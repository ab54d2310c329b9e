"""Watching a list of chats: listen first, then read, then look again whenever the bell rings."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.hints.hint import ChatDeleted, Hint
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.events import FeedEvent, Missed, OffersMoved, Paused
from chatd.live.lists.feed import COMPARED_MAX, Feed, Listing
from chatd.live.lists.others.others import OtherChats, WatchedBy
from chatd.live.lists.others.watcher import OthersNews, Watcher
from chatd.storage.reads.around import GONE, read_around
from chatd.storage.reads.lists import SharedWith
from chatd.storage.reads.read import list_chats, read_chats, read_list
from chatd.storage.reads.shared_lists import SharedVersion, read_shared_versions
from chatd.storage.transactions.families import NO_CHILDREN, read_all_children, read_waiting_for
from chatd.storage.transactions.transact import Store

# Of these it is known from the start what they were.
LOOKED_AT_MAX = 100
# While the database is away: between two looks whether it is back.
AWAY_SECONDS = 1.0
# Between two comparisons of all chats of a user. What hints name is read at once; who is woken without a hint
# compares, which takes a look at every chat, and there are many reasons to be woken.
COMPARE_SECONDS = 5.0


async def watch_list(
    store: Store, clock: Clock, others: OtherChats, who: WatchedBy, *, cursor: int | None, bell: Bell
) -> AsyncIterator[list[FeedEvent]]:
    """What changes among a user's chats, and among those that are shared with them, until the bell ends it.

    A database that goes away later is waited for: the watcher is told that, and when it is over.
    """
    with store.hints.listening_to_owner(who.user_id, bell) as hints:
        async with others.watching(who, bell) as watcher:
            watching = _Watching(store, clock, who, watcher)
            feed = await watching.begin()
            first: list[FeedEvent] = [] if feed.is_at(cursor) else [Missed(cursor=feed.cursor)]
            if offers := others.offers_to(who.user_id):
                first.append(OffersMoved(count=offers, cursor=feed.cursor))
            yield first
            while await bell.wait():
                try:
                    events = await watching.look_again(hints.take(), bell)
                except Unavailable:
                    events = watching.stay(bell)
                yield events
                del events


class _Watching:
    """One watcher, and where what they are told comes from."""

    def __init__(self, store: Store, clock: Clock, who: WatchedBy, watcher: Watcher) -> None:
        self._store = store
        self._clock = clock
        self._who = who
        self._watcher = watcher
        self._feed = Feed({})
        # When to look again at a database that was away, by the monotonic clock; None: it is there.
        self._look_at: float | None = None
        # When all chats may be compared again, by the same clock.
        self._compare_at = 0.0
        self._compares_later = False

    async def begin(self) -> Feed:
        # In this order: what changes in between is told, and not taken for known.
        newest = await list_chats(self._store.db, self._who.user_id, archived=False, limit=LOOKED_AT_MAX)
        listings = await self._listings(newest.chats)
        self._feed = Feed(await self._versions(), await self._shared_versions())
        self._feed.remember_looks(listings)
        return self._feed

    def stay(self, bell: Bell) -> list[FeedEvent]:
        """The database is away. What hints have told meanwhile is found when it is back."""
        is_new = self._look_at is None
        self._look_at = self._clock.monotonic() + AWAY_SECONDS
        asyncio.get_running_loop().call_later(AWAY_SECONDS, bell.ring)
        return [Paused(paused=True, cursor=self._feed.cursor)] if is_new else []

    async def look_again(self, heard: Sequence[Hint], bell: Bell) -> list[FeedEvent]:
        if self._look_at is not None:
            return await self._look_after_outage()
        # Read before anything is noted as told: whoever could not read has told nothing.
        shared = await self._shared_versions() if self._watcher.has_missed else None
        # Who is woken to be told of others need not compare their own.
        own = await self._own(heard) if heard or (not self._watcher.has_news and self._compares(bell)) else []
        return [*own, *self._of_others(self._watcher.take(), shared)]

    def _compares(self, bell: Bell) -> bool:
        """Whether it is time to. If not, the bell is rung when it is."""
        now = self._clock.monotonic()
        if now < self._compare_at:
            if not self._compares_later:
                self._compares_later = True
                asyncio.get_running_loop().call_later(self._compare_at - now, bell.ring)
            return False
        self._compare_at, self._compares_later = now + COMPARE_SECONDS, False
        return True

    async def _look_after_outage(self) -> list[FeedEvent]:
        """What hints have told before is found by comparing."""
        assert self._look_at is not None, "only after an outage"
        if self._clock.monotonic() < self._look_at:
            return []
        if self._feed.compares:
            events = await self._own(())
        else:
            # We cannot tell what was missed.
            await self._versions()
            events = [Missed(cursor=self._feed.cursor)]
        self._look_at = None
        events += self._of_others(self._watcher.take(), None)
        return [*events, Paused(paused=False, cursor=self._feed.cursor)]

    async def _own(self, heard: Sequence[Hint]) -> list[FeedEvent]:
        """Of the user's own chats: those that hints name, or else all that differ."""
        feed, user_id = self._feed, self._who.user_id
        gone, moved = _sorted(heard) if heard else feed.differences(await self._versions())
        chats = await read_chats(self._store.db, moved) if moved else []
        children = [chat for chat in chats if chat.parent_id is not None]
        if not heard:
            # A hint names the parent itself when a child does something else.
            parents = {child.parent_id for child in children if child.parent_id is not None} - set(moved)
            chats += await read_chats(self._store.db, sorted(parents)) if parents else []
        roots = [chat for chat in chats if chat.parent_id is None and not chat.temporary]
        listings = await self._listings([chat for chat in roots if chat.owner_id == user_id])
        for child in children:
            feed.remember(child)
        # Those that were handed over are in the list of somebody else.
        left = [chat.id for chat in roots if chat.owner_id != user_id]
        return feed.lose([*gone, *left]) + feed.see(listings)

    def _of_others(self, news: OthersNews, shared: Mapping[ChatId, SharedVersion] | None) -> list[FeedEvent]:
        """`shared` is all of them, for who lists them anew; None: they were not read."""
        feed = self._feed
        if news.missed and shared is None:
            # The next look reads them.
            self._watcher.miss()
        events = [*feed.lose_others(news.lost), *feed.see_others(news.rows)]
        if shared is not None:
            feed.begin_shared(shared)
            events.append(Missed(cursor=feed.cursor))
        if news.offers is not None:
            events.append(OffersMoved(count=news.offers, cursor=feed.cursor))
        return events

    async def _listings(self, chats: Sequence[Chat]) -> list[Listing]:
        db = self._store.db
        children = await read_all_children(db, chats)
        around = await read_around(db, self._who.user_id, chats)
        return [
            Listing(
                chat=chat,
                around=around.get(chat.id, GONE),
                waiting_for=await read_waiting_for(db, chat.id)
                if chat.status is Status.REQUIRES_ACTION
                else (),
                children=children.get(chat.id, NO_CHILDREN),
            )
            for chat in chats
        ]

    async def _versions(self) -> dict[ChatId, int]:
        return await read_list(self._store.db, self._who.user_id, limit=COMPARED_MAX + 1)

    async def _shared_versions(self) -> dict[ChatId, SharedVersion]:
        if not self._who.by_name:
            return {}
        who = SharedWith(self._who.user_id, self._who.by_everyone)
        return await read_shared_versions(self._store.db, who, limit=COMPARED_MAX + 1)


def _sorted(hints: Sequence[Hint]) -> tuple[list[ChatId], list[ChatId]]:
    gone = [hint.chat_id for hint in hints if isinstance(hint, ChatDeleted)]
    return gone, [hint.chat_id for hint in hints if hint.chat_id not in gone]
