"""What one watcher of a list knows (pure).

A cursor is a fingerprint of the list that a watcher has. A watcher that comes back while the list is still
that one is told nothing. Any other is told to list the chats again, because the server does not keep which
chats were deleted. That costs one more request, and saves tombstones for watchers that never come back.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import TypeVar, cast

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
    SharedListedChat,
    StatusMoved,
    Summarized,
    TitleMoved,
    TurnLabelled,
)
from chatd.live.lists.others.watcher import OtherRow
from chatd.live.restricted import shared_failure
from chatd.live.shapes import (
    ChildrenView,
    FailureView,
    OwnerView,
    children_view,
    dirty_since,
    failure_view,
    light_waiting_view,
)
from chatd.storage.reads.around import Around
from chatd.storage.reads.shared_lists import SharedVersion
from chatd.storage.transactions.families import NO_CHILDREN, Children

# Chats whose last look is remembered, to name what moved.
REMEMBERED_MAX = 2000
# Chats of one user whose versions are compared. With more of them, a watcher who comes back always lists
# anew, and a lost hint is made up for by the next one.
COMPARED_MAX = 10_000
# A cursor fits into the integers of every database and language.
_FINGERPRINT_BITS = 62

NOTHING_SHARED: Mapping[ChatId, SharedVersion] = MappingProxyType({})

V = TypeVar("V", int, str)


class Listing(Struct, frozen=True, kw_only=True):
    """A chat as the list of its owner shows it: with what stands beside it, what it waits for, and the chats
    that work for it.
    """

    chat: Chat
    around: Around
    waiting_for: tuple[Call, ...] = ()
    children: Children = NO_CHILDREN


class Feed:
    """What one watcher of the list knows: of their own chats, and of those that are shared with them."""

    def __init__(
        self, versions: Mapping[ChatId, int], shared: Mapping[ChatId, SharedVersion] = NOTHING_SHARED
    ) -> None:
        # Of all chats in their list and those that work for them; of none, if there are too many.
        self._versions = dict(versions) if len(versions) <= COMPARED_MAX else None
        self._print = _fingerprint(self._versions or {})
        # The same of chats of others.
        self._shared: dict[ChatId, str] | None = {}
        self._known: OrderedDict[ChatId, SharedListedChat] = OrderedDict()
        self.begin_shared(shared)

    @property
    def cursor(self) -> str:
        return str(self._print)

    @property
    def compares(self) -> bool:
        """Whether what a watcher has of their own can be compared with what there is."""
        return self._versions is not None

    def is_at(self, cursor: int | None) -> bool:
        """Whether a watcher with this cursor knows our list."""
        return self._versions is not None and self._shared is not None and cursor == self._print

    def begin_shared(self, shared: Mapping[ChatId, SharedVersion]) -> None:
        """They list anew what is shared with them, which is this."""
        self._print ^= _fingerprint(self._shared or {})
        is_comparable = len(shared) <= COMPARED_MAX
        self._shared = {id_: _version(each) for id_, each in shared.items()} if is_comparable else None
        self._print ^= _fingerprint(self._shared or {})

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
            now, is_new = listed(each), self._is_new(each.chat.id)
            self._set_shared(each.chat.id, None)
            self.remember(each.chat)
            events += self._told(now, is_new=is_new)
        return events

    def see_others(self, rows: Iterable[OtherRow]) -> list[FeedEvent]:
        """Of chats of others. One that is theirs by now is told as such."""
        events: list[FeedEvent] = []
        for row in sorted(rows, key=lambda row: (row.other.chat.updated_at, row.other.chat.id)):
            chat = row.other.chat
            if (self._versions or {}).get(chat.id, -1) >= chat.versions.snapshot:
                continue
            is_new = self._is_new(chat.id)
            self._set_version(chat.id, None)
            seen = SharedVersion(snapshot=chat.versions.snapshot, role=row.role, marks=row.marks)
            self._set_shared(chat.id, _version(seen))
            events += self._told(listed_of_other(row), is_new=is_new)
        return events

    def lose(self, chat_ids: Iterable[ChatId]) -> list[FeedEvent]:
        """These are not theirs any more. One that is not in the list is not told."""
        lost = [id_ for id_ in chat_ids if self._versions is None or id_ in self._versions]
        for chat_id in lost:
            self._set_version(chat_id, None)
        return [self._lost(id_) for id_ in lost if id_ not in (self._shared or {})]

    def lose_others(self, chat_ids: Iterable[ChatId]) -> list[FeedEvent]:
        """The same of chats that are not shared with them any more."""
        lost = [id_ for id_ in chat_ids if self._shared is None or id_ in self._shared]
        for chat_id in lost:
            self._set_shared(chat_id, None)
        return [self._lost(id_) for id_ in lost if id_ not in (self._versions or {})]

    def differences(self, versions: Mapping[ChatId, int]) -> tuple[list[ChatId], list[ChatId]]:
        """Which of their own chats are gone, and which have moved, for a watcher that was given no hint."""
        if self._versions is None or len(versions) > COMPARED_MAX:
            return [], []
        gone = [chat_id for chat_id in self._versions if chat_id not in versions]
        return gone, [id_ for id_, version in versions.items() if self._versions.get(id_) != version]

    def _is_new(self, chat_id: ChatId) -> bool:
        """Whether it was surely in none of their lists."""
        lists = (self._versions, self._shared)
        return all(each is not None and chat_id not in each for each in lists)

    def _told(self, now: SharedListedChat, *, is_new: bool) -> list[FeedEvent]:
        """The event for a chat that looks like this, if anything moved."""
        chat_id = ChatId(now.id)
        kind = self._moved(chat_id, now, is_new=is_new)
        self._look_at(chat_id, now)
        # Typed as one's own: what others see has a part of its fields.
        return [kind(chat_id=chat_id, cursor=self.cursor, chat=cast("ListedChat", now))] if kind else []

    def _lost(self, chat_id: ChatId) -> FeedEvent:
        self._known.pop(chat_id, None)
        return Deleted(chat_id=chat_id, cursor=self.cursor)

    def _set_version(self, chat_id: ChatId, version: int | None) -> None:
        if self._versions is not None:
            self._print ^= _replaced(self._versions, chat_id, version)

    def _set_shared(self, chat_id: ChatId, version: str | None) -> None:
        if self._shared is not None:
            self._print ^= _replaced(self._shared, chat_id, version)

    def _look_at(self, chat_id: ChatId, look: SharedListedChat) -> None:
        self._known[chat_id] = look
        self._known.move_to_end(chat_id)
        if len(self._known) > REMEMBERED_MAX:
            self._known.popitem(last=False)

    def _moved(self, chat_id: ChatId, now: SharedListedChat, *, is_new: bool) -> type[Moved] | None:
        before = self._known.get(chat_id)
        if before is None:
            # Its earlier state is no longer remembered. The status is what changes most often.
            return Created if is_new else StatusMoved
        fields = (field for field in _KINDS if getattr(before, field, None) != getattr(now, field, None))
        return next((_KINDS[field] for field in fields), None)


# What may move, and what it is called. The first one that did names the event.
_KINDS: Mapping[str, type[Moved]] = {
    "status": StatusMoved,
    "title": TitleMoved,
    "labels": Described,
    "pin_order": Described,
    "archived": Described,
    "access": Described,
    "owner": Described,
    "last_error": StatusMoved,
    "waiting_for": StatusMoved,
    "children": ChildrenMoved,
    "last_turn_summary": TurnLabelled,
    "summary": Summarized,
    "context_dirty_since": ContextMoved,
    "has_unread": Described,
    "muted": Described,
    "shared": Described,
    "last_model": Described,
}


def listed(listing: Listing) -> ListedChat:
    chat, around = listing.chat, listing.around
    return ListedChat(
        id=chat.id,
        title=chat.title,
        status=chat.status,
        archived=chat.archived,
        labels=chat.labels,
        owner=OwnerView(id=chat.owner_id, name=around.owner.name, display_name=around.owner.display_name),
        access="owner",
        shared=around.shared,
        pin_order=chat.pin_order,
        has_unread=chat.has_unread,
        muted=around.marks.muted,
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


def listed_of_other(row: OtherRow) -> SharedListedChat:
    """What it waits for is for others to do, and is not told; that it waits, the status tells."""
    chat, other = row.other.chat, row.other
    # As in `shared_failure`, a part of the whole one.
    failure = shared_failure(chat.last_error) if chat.last_error is not None else UNSET
    return SharedListedChat(
        id=chat.id,
        title=chat.title,
        status=chat.status,
        archived=chat.archived,
        owner=OwnerView(id=chat.owner_id, name=other.owner_name, display_name=other.owner_display_name),
        access=row.role.value,
        pin_order=row.marks.pin_order,
        has_unread=row.has_unread,
        muted=row.marks.muted,
        last_model=chat.last_model,
        waiting_for=(),
        children=ChildrenView(count=chat.children, at_work=other.at_work, waiting=()),
        created_at=rfc3339(chat.created_at),
        updated_at=rfc3339(chat.updated_at),
        last_error=cast("FailureView", failure) if failure is not UNSET else UNSET,
        last_turn_summary=chat.last_turn_summary or UNSET,
        summary=chat.summary or UNSET,
    )


def _version(shared: SharedVersion) -> str:
    """What differs when the chat, or what they may do with it or have marked in it, does."""
    marks = shared.marks
    return f"{shared.snapshot} {shared.role} {marks.read_id} {marks.pin_order} {marks.muted}"


def _fingerprint(versions: Mapping[ChatId, object]) -> int:
    """The same for the same list, in whatever order; one change of it is one exclusive or."""
    fingerprint = 0
    for chat_id, version in versions.items():
        fingerprint ^= _mark(chat_id, version)
    return fingerprint


def _replaced(versions: dict[ChatId, V], chat_id: ChatId, version: V | None) -> int:
    """Put the version in the place of the one before; by what the fingerprint changes."""
    before = versions.pop(chat_id, None)
    if version is not None:
        versions[chat_id] = version
    return _fingerprint({chat_id: before} if before is not None else {}) ^ _fingerprint(
        {chat_id: version} if version is not None else {}
    )


def _mark(chat_id: ChatId, version: object) -> int:
    digest = blake2b(f"{version} {chat_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - _FINGERPRINT_BITS)
