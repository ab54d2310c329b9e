"""Watching a list of chats: what a sidebar needs to stay true.

Each event carries the whole light chat, so that applying it twice, or late, does no harm. Its type only
says what moved.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from chatd.domain.chat import Chat, Status
from chatd.domain.ids import ChatId, UserId
from chatd.hints.hint import ChatDeleted, Hint
from chatd.kit.bell import Bell
from chatd.kit.clock import rfc3339
from chatd.live.shapes import Moment
from chatd.storage.read import list_chats, read_chats
from chatd.storage.transact import Store

# Chats whose last look is remembered, to name what moved.
REMEMBERED_MAX = 2000
# Chats that are looked at when nobody has given a hint.
LOOKED_AT_MAX = 100


class ListedChat(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    status: Status
    archived: bool
    labels: dict[str, str]
    pin_order: int
    created_at: Moment
    updated_at: Moment


class _Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    chat_id: str
    cursor: str


class _ChatEvent(_Event, frozen=True, kw_only=True):
    chat: ListedChat


class Created(_ChatEvent, frozen=True, kw_only=True, tag="created"):
    pass


class StatusMoved(_ChatEvent, frozen=True, kw_only=True, tag="status_change"):
    pass


class TitleMoved(_ChatEvent, frozen=True, kw_only=True, tag="title_change"):
    pass


class Described(_ChatEvent, frozen=True, kw_only=True, tag="details_change"):
    """Labels, pin or archive."""


class Deleted(_Event, frozen=True, kw_only=True, tag="deleted"):
    pass


class Missed(Struct, frozen=True, kw_only=True, tag_field="type", tag="gap"):
    """More has changed than can be told: list the chats again."""

    cursor: str
    what: Literal["list"] = "list"


FeedEvent: TypeAlias = Created | StatusMoved | TitleMoved | Described | Deleted | Missed


class Feed:
    """What one watcher of the list knows (pure)."""

    def __init__(self, since: int) -> None:
        # The newest moment, in microseconds since 1970, that they were told of.
        self.since = since
        self._known: OrderedDict[ChatId, ListedChat] = OrderedDict()

    def remember(self, chat: Chat) -> None:
        """They have it already."""
        self.since = max(self.since, chat.updated_at)
        self._known[chat.id] = listed(chat)
        self._known.move_to_end(chat.id)
        if len(self._known) > REMEMBERED_MAX:
            self._known.popitem(last=False)

    def see(self, chats: Iterable[Chat]) -> list[FeedEvent]:
        events: list[FeedEvent] = []
        for chat in sorted(chats, key=lambda chat: (chat.updated_at, chat.id)):
            # Chats that work for another are not in the list.
            if chat.parent_id is None and (kind := self._moved(chat)) is not None:
                self.remember(chat)
                events.append(kind(chat_id=chat.id, cursor=str(self.since), chat=listed(chat)))
        return events

    def lose(self, chat_ids: Iterable[ChatId]) -> list[FeedEvent]:
        """These were deleted."""
        return [self._lost(chat_id) for chat_id in chat_ids]

    def _lost(self, chat_id: ChatId) -> FeedEvent:
        self._known.pop(chat_id, None)
        return Deleted(chat_id=chat_id, cursor=str(self.since))

    def _moved(self, chat: Chat) -> type[Created | StatusMoved | TitleMoved | Described] | None:
        before, now = self._known.get(chat.id), listed(chat)
        if before is None:
            # Nobody remembers what it was: the status is what most often moves.
            return Created if chat.created_at > self.since else StatusMoved
        if before.status is not now.status:
            return StatusMoved
        if before.title != now.title:
            return TitleMoved
        described = (before.labels, before.pin_order, before.archived)
        return Described if described != (now.labels, now.pin_order, now.archived) else None


async def watch_list(
    store: Store, owner_id: UserId, *, cursor: int | None, bell: Bell
) -> AsyncIterator[list[FeedEvent]]:
    """What changes among a user's chats after the cursor, or from now on, until the bell ends it."""
    with store.hints.listening_to_owner(owner_id, bell) as hints:
        newest = await _newest(store, owner_id)
        feed = Feed(cursor if cursor is not None else max((chat.updated_at for chat in newest), default=0))
        fresh = [chat for chat in newest if chat.updated_at > feed.since]
        for chat in newest:
            if chat.updated_at <= feed.since:
                feed.remember(chat)
        yield feed.see(fresh) if len(fresh) < LOOKED_AT_MAX else [_missed(feed, fresh)]
        while await bell.wait():
            heard = hints.take()
            gone, changed = _sorted(heard)
            chats = await read_chats(store.db, changed) if heard else await _newest(store, owner_id)
            yield feed.lose(gone) + feed.see(chats)


def listed(chat: Chat) -> ListedChat:
    return ListedChat(
        id=chat.id,
        title=chat.title,
        status=chat.status,
        archived=chat.archived,
        labels=chat.labels,
        pin_order=chat.pin_order,
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
    )


async def _newest(store: Store, owner_id: UserId) -> tuple[Chat, ...]:
    page = await list_chats(store.db, owner_id, archived=False, limit=LOOKED_AT_MAX)
    return page.chats


def _missed(feed: Feed, fresh: Iterable[Chat]) -> FeedEvent:
    for chat in fresh:
        feed.remember(chat)
    return Missed(cursor=str(feed.since))


def _sorted(hints: Sequence[Hint]) -> tuple[list[ChatId], list[ChatId]]:
    gone = [hint.chat_id for hint in hints if isinstance(hint, ChatDeleted)]
    return gone, [hint.chat_id for hint in hints if hint.chat_id not in gone]
