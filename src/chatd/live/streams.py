"""The connections that are open: each has a bell, and all of them end together when the server does."""

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Literal

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell

# How often a quiet stream shows that it lives; proxies close what is silent for longer.
BEAT_SECONDS = 15
# How late a stream may ask again whether its viewer may watch, after the moment that it has named.
TICK_SECONDS = 1
# Changes of which is remembered whom they concern. Before these, they may have concerned anybody.
CHANGED_MAX = 1000


class StreamKind(Struct, frozen=True):
    """What is watched, and over what."""

    of: Literal["chat", "list", "guest"]
    over: Literal["sse", "websocket"]


KINDS = tuple(StreamKind(of, over) for of in ("chat", "list", "guest") for over in ("sse", "websocket"))


class Streams:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # With the moment at which each asks again whether its viewer may watch.
        self._bells: dict[Bell, float] = {}
        # On whom it depends whether a viewer may watch, as soon as that is known; and the other way round.
        self._concerns: dict[Bell, frozenset[UserId]] = {}
        self._of_user: dict[UserId, set[Bell]] = {}
        self._kinds: Counter[StreamKind] = Counter()
        self._ended = False
        # How often somebody's ways in have changed, as far as this process has heard.
        self.changes = 0
        # Whose they were, the newest last; None: anybody's.
        self._changed: deque[UserId | None] = deque(maxlen=CHANGED_MAX)

    @property
    def ended(self) -> bool:
        """The server is going away; not the viewer."""
        return self._ended

    def counted(self, kind: StreamKind) -> int:
        """How many are open."""
        return self._kinds[kind]

    @contextmanager
    def open(self, kind: StreamKind) -> Iterator[Bell]:
        bell = Bell()
        if self._ended:
            bell.end()
        self._bells[bell] = inf
        self._kinds[kind] += 1
        try:
            yield bell
        finally:
            self.concern(bell, frozenset())
            del self._concerns[bell], self._bells[bell]
            self._kinds[kind] -= 1

    def concern(self, bell: Bell, users: frozenset[UserId]) -> None:
        """It depends on these, and on nobody else, whether the viewer may go on to watch."""
        for user_id in self._concerns.get(bell, frozenset()) - users:
            bells = self._of_user[user_id]
            bells.discard(bell)
            if not bells:
                del self._of_user[user_id]
        self._concerns[bell] = users
        for user_id in users:
            self._of_user.setdefault(user_id, set()).add(bell)

    def is_concerned(self, bell: Bell, count: int) -> bool:
        """Whether the viewer is by what has changed since there were so many changes."""
        changed = self.changed_since(count)
        return changed is None or not changed.isdisjoint(self._concerns.get(bell, changed))

    def changed_since(self, count: int) -> frozenset[UserId] | None:
        """Whose ways in have changed since there were so many changes; None: perhaps everybody's."""
        new = self.changes - count
        if new > len(self._changed):
            return None
        changed = [self._changed[-each] for each in range(1, new + 1)]
        return frozenset(each for each in changed if each is not None) if None not in changed else None

    def ask_at(self, bell: Bell, monotonic: float) -> None:
        """The bell is rung then, or a moment later."""
        self._bells[bell] = monotonic

    async def run(self) -> None:
        beat_at = self._clock.monotonic() + BEAT_SECONDS
        while True:
            await self._clock.sleep(TICK_SECONDS)
            now = self._clock.monotonic()
            if now >= beat_at:
                beat_at = now + BEAT_SECONDS
                self.beat()
            else:
                self.tick()

    def tick(self) -> None:
        """Have those ask again whose moment has come."""
        now = self._clock.monotonic()
        for bell, at in self._bells.items():
            if at <= now:
                bell.ring()

    def beat(self) -> None:
        """So that they can show a sign of life."""
        for bell in self._bells:
            bell.ring()

    def ask_again(self, user_id: UserId | None = None) -> None:
        """Whether the viewers may go on to watch whom a change of this user concerns; None: all of them.

        A user may cause as many changes as they may make requests: those of others are not woken by that.
        """
        self.changes += 1
        self._changed.append(user_id)
        if user_id is None:
            self.beat()
            return
        for bell in self._of_user.get(user_id, ()):
            bell.ring()

    def hear(self, change: CatalogChanged) -> None:
        if change.kind == CatalogKind.USER_ACCESS and change.entity is not None:
            self.ask_again(UserId(change.entity))
        elif change.kind in (CatalogKind.USER_ACCESS, CatalogKind.EVERYTHING):
            self.ask_again()

    def end(self) -> None:
        """Every stream comes to its end, now and from now on."""
        self._ended = True
        for bell in self._bells:
            bell.end()
