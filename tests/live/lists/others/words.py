"""Somebody with whom chats are shared, who follows their list; and what that list truly is."""

from collections.abc import AsyncGenerator
from typing import Any, cast

from msgspec import UNSET

from chatd.accounts.relations import read_relation
from chatd.accounts.sharing.grants import Wish, delete_grant, save_grant
from chatd.accounts.sharing.marks import MarkChange, mark
from chatd.accounts.users import User
from chatd.domain.chat import Chat
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, MessageId, Micros, UserId
from chatd.domain.people.audit import THE_SERVER
from chatd.domain.people.grants import ALL, Grant, GrantKind, GrantRole
from chatd.domain.people.permit import USUAL_POLICY
from chatd.hints.memory import Inbox
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.live.lists.events import Deleted, FeedEvent, Missed, OffersMoved, Paused, WatchEnded
from chatd.live.lists.others.others import OtherChats, WatchedBy
from chatd.live.lists.watch import watch_list
from chatd.storage.database import Connection
from chatd.storage.reads.around import read_around
from chatd.storage.reads.lists import SharedWith, list_shared
from chatd.storage.reads.read import list_chats
from chatd.storage.transactions.transact import Store

# Title, status, what they are to it, whether something is unread, their pin, their mute, archived.
Looks = dict[str, tuple[str, str, str, bool, int, bool, bool]]


async def truth(store: Store, user: User) -> Looks:
    """Every chat that is theirs or shared with them, by the facts of lists and permits."""
    looks: Looks = {}
    who = SharedWith(user.id, everyone=True)
    for archived in (False, True):
        own = await list_chats(store.db, user.id, archived=archived, limit=500)
        shared = await list_shared(store.db, who, archived=archived, limit=500)
        chats = (*own.chats, *shared.chats)
        around = await read_around(store.db, user.id, chats)
        for chat in chats:
            relation = (await read_relation(store.db, user, chat, USUAL_POLICY)).relation
            marks = around[chat.id].marks
            unread = chat.is_unread_after(marks.read_id)
            look = (chat.title, chat.status, relation.value, unread, marks.pin_order, marks.muted)
            looks[chat.id] = (*look, chat.archived)
    return looks


class Reader:
    """A client that does what the reference says, and nothing else."""

    def __init__(self, store: Store, clock: Clock, others: OtherChats, user: User) -> None:
        self._store, self._clock, self._others = store, clock, others
        self.user = user
        self.shown: Looks = {}
        self.events: list[Any] = []
        self.offers = 0
        self.cursor: str | None = None
        self._feed: AsyncGenerator[list[FeedEvent], None] | None = None

    async def connect(self) -> list[str]:
        self.bell = Bell()
        cursor = None if self.cursor is None else int(self.cursor)
        who = WatchedBy(user_id=self.user.id)
        feed = watch_list(self._store, self._clock, self._others, who, cursor=cursor, bell=self.bell)
        self._feed = cast("AsyncGenerator[list[FeedEvent], None]", feed)
        return await self._next()

    async def told(self) -> list[str]:
        """What there is to be told now: the types of it."""
        self.bell.ring()
        return await self._next()

    async def leave(self) -> None:
        if self._feed is not None:
            await self._feed.aclose()

    async def _next(self) -> list[str]:
        assert self._feed is not None
        events = await anext(self._feed)
        for event in events:
            await self._apply(event)
        return [str(event.__struct_config__.tag) for event in events]

    async def _apply(self, event: FeedEvent) -> None:
        self.cursor = event.cursor
        self.events.append(event)
        match event:
            case Missed():
                self.shown = await truth(self._store, self.user)
            case OffersMoved(count=count):
                self.offers = count
            case Deleted(chat_id=chat_id):
                self.shown.pop(chat_id, None)
            case WatchEnded() | Paused():
                pass
            case _:
                chat = event.chat
                look = (chat.title, chat.status, chat.access, chat.has_unread, chat.pin_order, chat.muted)
                self.shown[event.chat_id] = (*look, chat.archived)


async def settle(others: OtherChats, heard: Inbox) -> int:
    """Have everything looked at that was heard of, and told; how many looks it took."""
    looks = 0
    others.hear(heard.take())
    while others.is_behind:
        await others.look()
        looks += 1
    return looks


def _named(subject: str) -> tuple[GrantKind, str]:
    """`everyone`, `group NAME`, or the id of a user."""
    if subject == "everyone":
        return GrantKind.EVERYONE, ALL
    kind, _, name = subject.partition(" ")
    return (GrantKind.GROUP, name) if kind == "group" else (GrantKind.USER, subject)


async def admit_all(tx: Connection, chat: Chat, before: Grant | None, widens: bool) -> None:  # noqa: FBT001
    pass


async def admit(tx: Connection, locked: LockedChat) -> None:
    pass


async def share(
    store: Store, chat_id: ChatId, subject: str, role: GrantRole = GrantRole.READER, until: int | None = None
) -> None:
    kind, id_ = _named(subject)
    wish = Wish(kind=kind, subject_id=id_, role=role, expires_at=Micros(until) if until is not None else None)
    await save_grant(store, chat_id, THE_SERVER, wish, admit_all)


async def unshare(store: Store, chat_id: ChatId, subject: str) -> None:
    await delete_grant(store, chat_id, THE_SERVER, _named(subject), admit_all)


async def mark_read(store: Store, user_id: UserId, chat_id: ChatId, read_id: int) -> None:
    await mark(store, user_id, chat_id, MarkChange(read_id=MessageId(read_id)), admit)


async def mark_mute(store: Store, user_id: UserId, chat_id: ChatId, *, muted: bool = True) -> None:
    await mark(store, user_id, chat_id, MarkChange(muted=muted, pin_order=UNSET), admit)
