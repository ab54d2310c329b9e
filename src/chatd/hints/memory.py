"""Hints within one process."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from chatd.domain.ids import ChatId, UserId
from chatd.hints.bus import N
from chatd.hints.hint import ChatChanged, ChildChanged, Hint, News, PartsLogged, WorkWaiting
from chatd.kit.concurrency.bell import Bell

_Key = TypeVar("_Key")


class Inbox:
    """One listener's hints. Only the newest of each kind for each chat is kept, so it cannot overflow; of
    what is about the list of a user, the newest for each of them.
    """

    def __init__(self, bell: Bell | None = None) -> None:
        self._newest: dict[Hashable, Hint] = {}
        self._bell = bell or Bell()

    def put(self, hint: Hint) -> None:
        key = key_of(hint)
        # Two commits may be told in the other order: each by its own task, when it is its turn.
        if not is_older(hint, self._newest.get(key)):
            self._newest[key] = hint
        self._bell.ring()

    def ring(self) -> None:
        """Without a hint: look what is new."""
        self._bell.ring()

    def take(self) -> list[Hint]:
        """Everything that arrived since the last call, oldest chat first."""
        if not self._newest:
            return []
        hints, self._newest = list(self._newest.values()), {}
        return hints

    async def wait_for_hints(self) -> list[Hint]:
        """As `take`, but waits until there is something."""
        while not self._newest:
            await self._bell.wait()
        return self.take()


class MemoryBus:
    """Listeners say what they care about, so that a hint wakes only the listeners that it concerns."""

    def __init__(self) -> None:
        self._inboxes: set[Inbox] = set()
        self._of_chat: dict[ChatId, set[Inbox]] = {}
        self._of_owner: dict[UserId, set[Inbox]] = {}
        self._of_news: dict[type[Any], list[Callable[[Any], None]]] = {}

    def publish(self, hint: Hint) -> None:
        _put(self._inboxes, hint)
        _put(self._of_chat.get(hint.chat_id, ()), hint)
        if not isinstance(hint, WorkWaiting):
            _put(self._of_owner.get(hint.owner_id, ()), hint)

    def nudge(self, hint: Hint) -> None:
        """Tell only the listeners of that chat."""
        _put(self._of_chat.get(hint.chat_id, ()), hint)

    @contextmanager
    def listening(self, bell: Bell | None = None) -> Iterator[Inbox]:
        """Hints about every chat. The bell, if there is one, is rung for each."""
        inbox = Inbox(bell)
        self._inboxes.add(inbox)
        try:
            yield inbox
        finally:
            self._inboxes.discard(inbox)

    @contextmanager
    def listening_to_chat(self, chat_id: ChatId, bell: Bell) -> Iterator[Inbox]:
        """Hints about one chat. The bell is rung for each."""
        with _registered(self._of_chat, chat_id, Inbox(bell)) as inbox:
            yield inbox

    @contextmanager
    def listening_to_owner(self, owner_id: UserId, bell: Bell) -> Iterator[Inbox]:
        """Hints about one user's chats. The bell is rung for each."""
        with _registered(self._of_owner, owner_id, Inbox(bell)) as inbox:
            yield inbox

    def watched_chats(self) -> list[ChatId]:
        """The chats that have a listener of their own."""
        return list(self._of_chat)

    def announce(self, news: News) -> None:
        """Who listens here has heard it when this returns."""
        for hear in list(self._of_news.get(type(news), ())):
            hear(news)

    @contextmanager
    def listening_to_news(self, kind: type[N], hear: Callable[[N], None]) -> Iterator[None]:
        """News of this kind, each at once."""
        listeners = self._of_news.setdefault(kind, [])
        listeners.append(hear)
        try:
            yield
        finally:
            listeners.remove(hear)

    @property
    def is_alone(self) -> bool:
        return True

    @property
    def is_away(self) -> bool:
        return False

    @property
    def lag_seconds(self) -> float:
        return 0.0

    def ring_owners(self) -> None:
        """Have those who watch lists compare them."""
        for inboxes in self._of_owner.values():
            for inbox in inboxes:
                inbox.ring()


def key_of(hint: Hint | PartsLogged) -> Hashable:
    """What a later hint replaces has the same."""
    if isinstance(hint, ChildChanged):
        return ChildChanged, hint.chat_id, hint.owner_id
    return type(hint), hint.chat_id


def is_older(hint: Hint | News, held: Hint | News | None) -> bool:
    """Whether we hold something newer of the same kind. Some kinds have no version: one is like the other."""
    ours, theirs = _version(hint), _version(held)
    return ours is not None and theirs is not None and ours < theirs


def _version(hint: Hint | News | None) -> tuple[int, ...] | None:
    match hint:
        case ChatChanged(snapshot=snapshot) | WorkWaiting(snapshot=snapshot):
            return (snapshot,)
        case PartsLogged(history=history, attempt=attempt, seq=seq):
            return history, attempt, seq
        case _:
            return None


def _put(inboxes: Iterable[Inbox], hint: Hint) -> None:
    for inbox in inboxes:
        inbox.put(hint)


@contextmanager
def _registered(table: dict[_Key, set[Inbox]], key: _Key, inbox: Inbox) -> Iterator[Inbox]:
    table.setdefault(key, set()).add(inbox)
    try:
        yield inbox
    finally:
        inboxes = table[key]
        inboxes.discard(inbox)
        if not inboxes:
            del table[key]
