"""A line for a bounded number of places, in which no one who takes many keeps the others waiting.

A place may be held for long, so it matters who holds one as much as who waits for one. Each place is taken
in the name of a key: a user, a chat. The first is always given, if there is one; for each further one some
must be left free for others. Of those who wait, the key that holds the fewest comes first; within a key the
longest waiting.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

# For each place that they leave free, one may hold this many: alone seven in eight of all places, and the
# next one seven in eight of what is left.
HELD_PER_FREE_PLACE = 7

Key = TypeVar("Key", bound=Hashable)


class Line(Generic[Key]):
    """A number of places, and those who wait for one."""

    def __init__(self, count: int) -> None:
        self.count = count
        # Below zero when more were seized than there are.
        self.free = count
        self.held: Counter[Key] = Counter()
        self._waiting: dict[Key, deque[asyncio.Future[None]]] = {}

    @property
    def idle(self) -> bool:
        return self.free == self.count and not self._waiting

    @property
    def taken(self) -> int:
        """More than there are when some were seized."""
        return self.count - self.free

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def has_place_for(self, key: Key) -> bool:
        """Whether one could be taken at once."""
        return not self._waiting and self.may_take(key)

    def take_at_once(self, key: Key) -> bool:
        if not self.has_place_for(key):
            return False
        self.seize(key)
        return True

    async def wait(self, key: Key) -> None:
        if self.take_at_once(key):
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        self._hand_on()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was ours already; we leave without having used it.
                self.give_back(key)
            else:
                self._forget(key, turn)
            raise

    def seize(self, key: Key) -> None:
        """Take a place, free or not."""
        self.free -= 1
        self.held[key] += 1

    def give_back(self, key: Key) -> None:
        self.free += 1
        self.held[key] -= 1
        if not self.held[key]:
            del self.held[key]
        if self._waiting:
            self._hand_on()

    def may_take(self, key: Key) -> bool:
        """The first one always, if there is one; for each further one some must stay free for others."""
        held = self.held.get(key, 0)
        return self.free > 0 and (not held or held + 1 <= HELD_PER_FREE_PLACE * (self.free - 1))

    def _hand_on(self) -> None:
        """Give free places to those who wait: to the one who holds the fewest, then to the next in turn."""
        while self._waiting:
            key = min(self._waiting, key=lambda each: self.held.get(each, 0))
            if not self.may_take(key):
                return  # Then no other one may: they hold at least as many.
            line = self._waiting.pop(key)
            turn = line.popleft()
            if line:
                self._waiting[key] = line  # Behind all others.
            if not turn.done():
                self.seize(key)
                turn.set_result(None)

    def _forget(self, key: Key, turn: "asyncio.Future[None]") -> None:
        """One of them gave up waiting. Perhaps it was noticed already, when it would have been its turn."""
        line = self._waiting.get(key, deque())
        if turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[key]
