"""Who is still to be told of which chats of others (pure).

By whom the chats belong to: one whose chats are shared with many, and change as often as their requests
allow, delays what is told of these, and nothing of anybody else's.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable

from msgspec import Struct

from chatd.domain.ids import ChatId, UserId
from chatd.live.lists.others.watcher import Watcher
from chatd.storage.reads.shared_lists import OtherChat

# Of the chats of one owner: watchers who are still to be told, each counted for each chat. With so many of
# them nothing more is noted; what changes meanwhile is looked at again when they were told.
WAITING_MAX = 20_000


class _Waiting(Struct):
    """A chat, and those who are still to be told of it."""

    other: OtherChat
    watchers: dict[Watcher, None]


class Telling(Struct, frozen=True):
    """A chat, and some of those who are to be told of it."""

    other: OtherChat
    watchers: tuple[Watcher, ...]


class Outgoing:
    def __init__(self, *, waiting_max: int = WAITING_MAX) -> None:
        self._waiting_max = waiting_max
        self._owner: dict[ChatId, UserId] = {}
        # Of each owner the chat first of which somebody was to be told first.
        self._chats: dict[UserId, OrderedDict[ChatId, _Waiting]] = {}
        self._counts: Counter[UserId] = Counter()

    def __bool__(self) -> bool:
        return bool(self._chats)

    def is_full(self, owner_id: UserId) -> bool:
        return self._counts[owner_id] >= self._waiting_max

    def add(self, other: OtherChat, watchers: Iterable[Watcher]) -> None:
        """Those who wait already are told how it is now."""
        chat, added = other.chat, dict.fromkeys(watchers)
        before = self.forget(chat.id) if self._owner.get(chat.id, chat.owner_id) != chat.owner_id else {}
        chats = self._chats.get(chat.owner_id, OrderedDict())
        waiting = chats.get(chat.id) or _Waiting(other, {})
        count = len(waiting.watchers)
        waiting.other = other
        waiting.watchers |= before | added
        if waiting.watchers:
            self._owner[chat.id] = chat.owner_id
            self._chats[chat.owner_id] = chats
            chats[chat.id] = waiting
            self._counts[chat.owner_id] += len(waiting.watchers) - count

    def forget(self, chat_id: ChatId) -> dict[Watcher, None]:
        """Nobody is told of it; who was to be."""
        owner_id = self._owner.pop(chat_id, None)
        if owner_id is None:
            return {}
        chats = self._chats[owner_id]
        waiting = chats.pop(chat_id)
        self._counts[owner_id] -= len(waiting.watchers)
        if not chats:
            del self._chats[owner_id], self._counts[owner_id]
        return waiting.watchers

    def next(self, count: int) -> list[Telling]:
        """So many who are told now. Each owner has an equal share; what one does not need, others have."""
        telling: list[Telling] = []
        owners = sorted(self._chats, key=lambda each: (self._counts[each], each))
        for index, owner_id in enumerate(owners):
            if count <= 0:
                break
            share = -(-count // (len(owners) - index))
            for waiting in self._chats[owner_id].values():
                if share <= 0:
                    break
                watchers = tuple(waiting.watchers)[:share]
                telling.append(Telling(waiting.other, watchers))
                share -= len(watchers)
                count -= len(watchers)
        return telling

    def told(self, telling: Telling) -> None:
        chat_id = telling.other.chat.id
        owner_id = self._owner.get(chat_id)
        if owner_id is None:
            return
        watchers = self._chats[owner_id][chat_id].watchers
        for watcher in telling.watchers:
            if watcher in watchers:
                del watchers[watcher]
                self._counts[owner_id] -= 1
        if not watchers:
            self.forget(chat_id)
