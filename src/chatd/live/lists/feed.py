"""What one watcher of a list knows (pure).

A cursor is a fingerprint of the list that a watcher has. A watcher that comes back while the list is still
that one is told nothing. Any other is told to list the chats again, because the server does not keep which
chats were deleted. That costs one more request, and saves tombstones for watchers that never come back.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from msgspec import UNSET, Struct

from chatd.domain.call import Call
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.kit.clock import rfc3339
from chatd.live.lists.events import (
    ChildrenMoved,
    ContextMoved,
    Created,
    Deleted,
    Described,
    FeedEvent,
    ListedChat,
    Moved,
    StatusMoved,
    Summarized,
    TitleMoved,
    TurnLabelled,
)
from chatd.live.shapes import children_view, dirty_since, failure_view, light_waiting_view
from chatd.storage.transactions.families import NO_CHILDREN, Children

# Chats whose last look is remembered, to name what moved.
REMEMBERED_MAX = 2000
# Chats of one user whose versions are compared. With more of them, a watcher who comes back always lists
# anew, and a lost hint is made up for by the next one.
COMPARED_MAX = 10_000
# A cursor fits into the integers of every database and language.
_FINGERPRINT_BITS = 62


class Listing(Struct, frozen=True):
    """A chat as a list shows it: with what it waits for, and the chats that work for it."""

    chat: Chat
    waiting_for: tuple[Call, ...] = ()
    children: Children = NO_CHILDREN


class Feed:
    """What one watcher of the list knows (pure)."""

    def __init__(self, versions: Mapping[ChatId, int]) -> None:
        # Of all chats in their list and those that work for them; of none, if there are too many.
        self._versions = dict(versions) if len(versions) <= COMPARED_MAX else None
        self._print = _fingerprint(self._versions or {})
        self._known: OrderedDict[ChatId, ListedChat] = OrderedDict()

    @property
    def cursor(self) -> str:
        return str(self._print)

    @property
    def compares(self) -> bool:
        """Whether what a watcher has can be compared with what there is."""
        return self._versions is not None

    def is_at(self, cursor: int | None) -> bool:
        """Whether a watcher with this cursor knows our list."""
        return self._versions is not None and cursor == self._print

    def remember(self, chat: Chat) -> None:
        """They know it already, or are told now."""
        if not chat.temporary:
            self._set_version(chat.id, chat.versions.snapshot)

    def remember_looks(self, listings: Iterable[Listing]) -> None:
        """What these were a moment before the versions that we began with."""
        for each in listings:
            self._look_at(each.chat.id, listed(each))

    def see(self, listings: Iterable[Listing]) -> list[FeedEvent]:
        """Of chats in their list: those that work for another are not in it, and temporary ones neither."""
        events: list[FeedEvent] = []
        for each in sorted(listings, key=lambda each: (each.chat.updated_at, each.chat.id)):
            now = listed(each)
            kind = self._moved(each.chat.id, now)
            self.remember(each.chat)
            self._look_at(each.chat.id, now)
            if kind is not None:
                events.append(kind(chat_id=each.chat.id, cursor=self.cursor, chat=now))
        return events

    def lose(self, chat_ids: Iterable[ChatId]) -> list[FeedEvent]:
        """These were deleted. One that is not in the list is not told."""
        listed_ids = self._versions
        return [self._lost(id_) for id_ in chat_ids if listed_ids is None or id_ in listed_ids]

    def differences(self, versions: Mapping[ChatId, int]) -> tuple[list[ChatId], list[ChatId]]:
        """Which chats are gone, and which have moved, for a watcher that was given no hint."""
        if self._versions is None or len(versions) > COMPARED_MAX:
            return [], []
        gone = [chat_id for chat_id in self._versions if chat_id not in versions]
        return gone, [id_ for id_, version in versions.items() if self._versions.get(id_) != version]

    def _lost(self, chat_id: ChatId) -> FeedEvent:
        self._known.pop(chat_id, None)
        self._set_version(chat_id, None)
        return Deleted(chat_id=chat_id, cursor=self.cursor)

    def _set_version(self, chat_id: ChatId, version: int | None) -> None:
        if self._versions is None:
            return
        before = self._versions.pop(chat_id, None)
        if before is not None:
            self._print ^= _mark(chat_id, before)
        if version is not None:
            self._versions[chat_id] = version
            self._print ^= _mark(chat_id, version)

    def _look_at(self, chat_id: ChatId, look: ListedChat) -> None:
        self._known[chat_id] = look
        self._known.move_to_end(chat_id)
        if len(self._known) > REMEMBERED_MAX:
            self._known.popitem(last=False)

    def _moved(self, chat_id: ChatId, now: ListedChat) -> type[Moved] | None:
        before = self._known.get(chat_id)
        if before is None:
            # Its earlier state is no longer remembered. The status is what changes most often.
            return Created if self._versions is not None and chat_id not in self._versions else StatusMoved
        if before.status is not now.status:
            return StatusMoved
        if before.title != now.title:
            return TitleMoved
        described = (before.labels, before.pin_order, before.archived)
        if described != (now.labels, now.pin_order, now.archived):
            return Described
        moved = (kind for field, kind in _OTHERS.items() if getattr(before, field) != getattr(now, field))
        return next(moved, None)


# What else may move, and what it is called. The first one that did names the event.
_OTHERS: Mapping[str, type[Moved]] = {
    "last_error": StatusMoved,
    "waiting_for": StatusMoved,
    "children": ChildrenMoved,
    "last_turn_summary": TurnLabelled,
    "summary": Summarized,
    "context_dirty_since": ContextMoved,
    "has_unread": Described,
    "last_model": Described,
}


def listed(listing: Listing) -> ListedChat:
    chat = listing.chat
    return ListedChat(
        id=chat.id,
        title=chat.title,
        status=chat.status,
        archived=chat.archived,
        labels=chat.labels,
        pin_order=chat.pin_order,
        has_unread=chat.has_unread,
        last_model=chat.last_model,
        waiting_for=tuple(light_waiting_view(call, chat.deadline_at) for call in listing.waiting_for),
        children=children_view(listing.children, light_waiting_view),
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_error=failure_view(chat.last_error) if chat.last_error is not None else UNSET,
        context_dirty_since=dirty_since(chat) or UNSET,
        last_turn_summary=chat.last_turn_summary or UNSET,
        summary=chat.summary or UNSET,
    )


def _fingerprint(versions: Mapping[ChatId, int]) -> int:
    """The same for the same list, in whatever order; one change of it is one exclusive or."""
    fingerprint = 0
    for chat_id, version in versions.items():
        fingerprint ^= _mark(chat_id, version)
    return fingerprint


def _mark(chat_id: ChatId, version: int) -> int:
    digest = blake2b(f"{version} {chat_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - _FINGERPRINT_BITS)
