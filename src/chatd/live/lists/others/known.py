"""What is known here of chats of others, and who is to be told of what (pure)."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.grants import GrantRole
from chatd.domain.people.marks import NO_MARKS, Marks
from chatd.hints.hint import ChatChanged, ChatDeleted, ChildChanged, Hint, WorkWaiting
from chatd.live.lists.others.index import Index
from chatd.live.lists.others.outgoing import WAITING_MAX, Outgoing, Telling
from chatd.live.lists.others.watcher import OtherRow, Watcher
from chatd.storage.reads.shared_lists import Granted, OtherChat, Subject

# Chats that are shared, but with nobody who watches here: they are not looked at again until that changes.
UNCONCERNED_MAX = 10_000


class _Told(Struct, frozen=True):
    """What was last told of a chat: how it looks to all, and the newest message that can be unread."""

    look: tuple[object, ...]
    last: int


class Known:
    def __init__(self, *, waiting_max: int = WAITING_MAX) -> None:
        """`waiting_max`: of those who are still to be told of chats of one owner."""
        self.index = Index()
        self.watchers: dict[UserId, set[Watcher]] = {}
        # Users whose groups and offers may be others now.
        self.stale: set[UserId] = set()
        # Chats to be looked at, with the version of their access, if it is known.
        self._dirty: dict[ChatId, int] = {}
        # Users who are told of a chat although it looks as before: they may have marked something in it.
        self._marked: dict[ChatId, set[UserId]] = {}
        self._told: dict[ChatId, _Told] = {}
        self._outgoing = Outgoing(waiting_max=waiting_max)
        # Chats of owners of whose chats too many are still to be told: to be looked at again.
        self._late: dict[UserId, dict[ChatId, int]] = {}
        self._unconcerned: OrderedDict[ChatId, int] = OrderedDict()
        # When the next grant of a chat ends by itself.
        self._ends: dict[ChatId, Micros] = {}

    @property
    def is_behind(self) -> bool:
        """Whether there is something to look at, or to tell."""
        return bool(self._dirty or self.stale or self._outgoing or self._late)

    def hear(self, hint: Hint) -> None:
        match hint:
            case ChatChanged(chat_id=chat_id, access=access):
                is_new = access and self._unconcerned.get(chat_id) != access
                if is_new or self.index.knows(chat_id):
                    self._dirty[chat_id] = access
            case ChatDeleted(chat_id=chat_id):
                self.note_dirty(chat_id)
            case ChildChanged(chat_id=chat_id, owner_id=user_id):
                if self.index.knows(chat_id):
                    self.note_dirty(chat_id)
                    self._marked.setdefault(chat_id, set()).add(user_id)
                if user_id in self.watchers:
                    # It may be offered to them.
                    self.stale.add(user_id)
            case WorkWaiting():
                pass

    def note_dirty(self, chat_id: ChatId) -> None:
        if self.index.knows(chat_id):
            self._dirty.setdefault(chat_id, 0)

    def place(self, user_id: UserId, subjects: frozenset[Subject]) -> set[Subject]:
        """As the index does it. What is new to us may be granted chats that concerned nobody before."""
        new = self.index.place(user_id, subjects)
        if new:
            self._unconcerned.clear()
        return new

    def load(self, subject: Subject, granted: Iterable[Granted]) -> None:
        """What a subject was granted that is new here."""
        self.index.load(subject, self._versions(granted))

    def compare(self, subject: Subject, granted: Iterable[Granted]) -> None:
        """The same for one of which something is known already: what differs is looked at."""
        for chat_id in self.index.compare(subject, self._versions(granted)):
            self._dirty.setdefault(chat_id, 0)

    def _versions(self, granted: Iterable[Granted]) -> dict[ChatId, int]:
        versions: dict[ChatId, int] = {}
        for each in granted:
            versions[each.chat_id] = each.snapshot
            self._note_end(each.chat_id, each.expires_at)
        return versions

    def _note_end(self, chat_id: ChatId, end: Micros | None) -> None:
        if end is not None:
            self._ends[chat_id] = min(end, self._ends.get(chat_id, end))

    def note_ended(self, now: Micros) -> bool:
        """Have chats looked at of which a grant has ended by itself. Whether there are any."""
        over = [chat_id for chat_id, end in self._ends.items() if end <= now]
        for chat_id in over:
            del self._ends[chat_id]
            self.note_dirty(chat_id)
        return bool(over)

    def take_dirty(self, count: int) -> dict[ChatId, int]:
        """So many chats to look at. What is heard of them from now on is looked at again."""
        for owner_id in [each for each in self._late if not self._outgoing.is_full(each)]:
            self.put_back(self._late.pop(owner_id))
        taken = dict(list(self._dirty.items())[:count])
        for chat_id in taken:
            del self._dirty[chat_id]
        return taken

    def put_back(self, taken: Mapping[ChatId, int]) -> None:
        self._dirty = {**taken, **self._dirty}

    def see(self, chat_id: ChatId, other: OtherChat | None, access: int) -> None:
        """A chat as it is now; None: it is gone, or is none for lists of others."""
        grants = other.grants if other is not None else {}
        snapshot = other.chat.versions.snapshot if other is not None else 0
        for watcher in self._of(self.index.learn(chat_id, grants, snapshot)):
            watcher.lose(chat_id)
        self._ends.pop(chat_id, None)
        if other is None or not self.index.knows(chat_id):
            self._marked.pop(chat_id, None)
            self._forget(chat_id, access)
            return
        for granted in grants.values():
            self._note_end(chat_id, granted.expires_at)
        if self._outgoing.is_full(other.chat.owner_id):
            self._late.setdefault(other.chat.owner_id, {})[chat_id] = access
            return
        marked = self._marked.pop(chat_id, set())
        before, now = self._told.get(chat_id), _told(other)
        self._told[chat_id] = now
        looks_new = before is None or before.look != now.look
        has_more = before is None or before.last != now.last
        if not (looks_new or has_more or marked):
            return
        concerned = self.index.concerned(chat_id)
        # They are told as the owner.
        concerned.discard(other.chat.owner_id)
        if looks_new:
            self._outgoing.add(other, self._of(concerned))
            return
        self._outgoing.add(other, self._of(concerned & marked))
        if has_more:
            told = [each for each in self._of(concerned) if not each.knows_unread(chat_id)]
            self._outgoing.add(other, told)

    def _forget(self, chat_id: ChatId, access: int) -> None:
        self._told.pop(chat_id, None)
        self._outgoing.forget(chat_id)
        if access:
            self._unconcerned[chat_id] = access
            if len(self._unconcerned) > UNCONCERNED_MAX:
                self._unconcerned.popitem(last=False)

    def _of(self, users: Iterable[UserId]) -> list[Watcher]:
        return [watcher for user_id in users for watcher in self.watchers.get(user_id, ())]

    def to_tell(self, count: int) -> list[Telling]:
        """So many who are to be told of something."""
        return self._outgoing.next(count)

    def tell(self, telling: Telling, marks: Mapping[tuple[UserId, ChatId], Marks]) -> None:
        """They are told, each with what they have marked in it."""
        other, chat_id = telling.other, telling.other.chat.id
        self._outgoing.told(telling)
        for watcher in telling.watchers:
            role = _best(other, self.index.subjects_of(watcher.user_id))
            if role is not None:
                own = marks.get((watcher.user_id, chat_id), NO_MARKS)
                watcher.put(OtherRow(other=other, role=role, marks=own))

    def prune(self) -> None:
        """Forget what was known of chats by which nobody here is concerned any more."""
        knows = self.index.knows
        self._told = {chat_id: told for chat_id, told in self._told.items() if knows(chat_id)}
        self._ends = {chat_id: end for chat_id, end in self._ends.items() if knows(chat_id)}


def _best(other: OtherChat, subjects: Collection[Subject]) -> GrantRole | None:
    roles = {granted.role for subject, granted in other.grants.items() if subject in subjects}
    if not roles:
        return None
    return GrantRole.WRITER if GrantRole.WRITER in roles else GrantRole.READER


def _told(other: OtherChat) -> _Told:
    chat = other.chat
    look = (
        chat.title,
        chat.status,
        chat.archived,
        chat.last_error,
        chat.last_model,
        chat.last_turn_summary,
        chat.summary,
        chat.children,
        chat.owner_id,
        other.owner_name,
        other.owner_display_name,
        other.at_work,
        frozenset((subject, granted.role) for subject, granted in other.grants.items()),
    )
    return _Told(look, chat.projection.last_id if chat.is_unread_after(NO_MARKS.read_id) else 0)
