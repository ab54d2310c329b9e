"""One watcher's news of chats of others, until they are taken."""

from msgspec import Struct

from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.grants import GrantRole
from chatd.domain.people.marks import Marks
from chatd.kit.concurrency.bell import Bell
from chatd.storage.reads.shared_lists import OtherChat

# Chats of which there are news at once. With more of them the watcher lists anew.
NEWS_MAX = 500
# Chats of which it is known that the watcher has something unread in them.
UNREAD_MAX = 2000


class OtherRow(Struct, frozen=True, kw_only=True):
    """A chat of somebody else as one watcher sees it in their list."""

    other: OtherChat
    role: GrantRole
    marks: Marks

    @property
    def has_unread(self) -> bool:
        return self.other.chat.is_unread_after(self.marks.read_id)


class OthersNews(Struct, frozen=True, kw_only=True):
    rows: tuple[OtherRow, ...] = ()
    lost: tuple[ChatId, ...] = ()
    # There were too many, or the watcher is meant by other grants than before.
    missed: bool = False
    # How many chats are offered to them, if that has changed.
    offers: int | None = None


class Watcher:
    def __init__(self, user_id: UserId, bell: Bell) -> None:
        self.user_id = user_id
        self._bell = bell
        self._rows: dict[ChatId, OtherRow] = {}
        self._lost: dict[ChatId, None] = {}
        self._missed = False
        self._offers: int | None = None
        self._unread: dict[ChatId, None] = {}

    @property
    def has_missed(self) -> bool:
        return self._missed

    @property
    def has_news(self) -> bool:
        return bool(self._rows or self._lost or self._missed or self._offers is not None)

    def take(self) -> OthersNews:
        news = OthersNews(
            rows=tuple(self._rows.values()),
            lost=tuple(self._lost),
            missed=self._missed,
            offers=self._offers,
        )
        self._rows, self._lost, self._missed, self._offers = {}, {}, False, None
        return news

    def knows_unread(self, chat_id: ChatId) -> bool:
        """Whether one more message is no news: the watcher has not read those before."""
        return chat_id in self._unread

    def put(self, row: OtherRow) -> None:
        chat_id = row.other.chat.id
        self._rows[chat_id] = row
        self._lost.pop(chat_id, None)
        self._unread.pop(chat_id, None)
        if row.has_unread:
            self._unread[chat_id] = None
            if len(self._unread) > UNREAD_MAX:
                del self._unread[next(iter(self._unread))]
        self._noted()

    def lose(self, chat_id: ChatId) -> None:
        self._rows.pop(chat_id, None)
        self._unread.pop(chat_id, None)
        self._lost[chat_id] = None
        self._noted()

    def miss(self) -> None:
        """Whatever they have may be outdated."""
        self._missed = True
        self._noted()

    def offer(self, count: int) -> None:
        self._offers = count
        self._noted()

    def _noted(self) -> None:
        if len(self._rows) + len(self._lost) > NEWS_MAX:
            self._missed = True
        if self._missed:
            self._rows, self._lost = {}, {}
        self._bell.ring()
