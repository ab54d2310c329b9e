"""Slots: how many chats may work at once, and who is next when all are taken.

A slot may be held for hours, so it matters who holds one as much as who waits for one. The first is always
given, if there is one; for each further one a user must leave some free for others. Of the waiting chats, the
user who holds the fewest comes first; within a user the longest waiting.

A chat that has asked a provider and has not heard anything yet does not work. It lends its slot to others,
and is one of the chats that wait for this provider, of which there is a bound as well: so a provider that
never answers holds up only its own chats. When the answer begins, the chat has its slot again at once, be
one free or not: what was asked for is paid for, and must not wait. While none is free, a user who holds none
is given a first one nevertheless, unless as many users as there are slots hold some.

A chat whose tools rest lends its slot as well, and waits in line for one when the rest is over: nothing was
paid for that could get lost.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from chatd.domain.ids import UserId

# For each slot that they leave free, a user may hold this many: alone seven in eight of all slots, and the
# next user seven in eight of what is left.
HELD_PER_FREE_SLOT = 7


class Slots:
    """The slots of one process: for work, and for each provider as many that wait for its first byte."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.work = Line(count)
        self._asking: dict[str, Line] = {}

    @asynccontextmanager
    async def take(self, user: UserId) -> AsyncIterator["Slot"]:
        """Wait for a slot, hold it for the block."""
        await self.work.wait(user)
        slot = Slot(self, user)
        try:
            yield slot
        finally:
            slot.leave()

    def asking(self, provider: str) -> "Line":
        """The chats that wait for the first byte of this provider."""
        line = self._asking.get(provider)
        if line is None or line.idle:
            # Providers come and go; one without a chat is forgotten.
            self._asking = {name: each for name, each in self._asking.items() if not each.idle}
            line = self._asking[provider] = Line(self._count)
        return line


class Slot:
    """What one chat holds."""

    def __init__(self, slots: Slots, user: UserId) -> None:
        self._slots = slots
        self._user = user
        self._working = True
        self._asking: Line | None = None
        self._left = False

    async def ask(self, provider: str) -> None:
        """Lend the slot, from now until `answered`. Returns when the provider may be asked."""
        line = self._slots.asking(provider)
        self._lend()
        if line.take_at_once(self._user):
            self._asking = line
            return
        await line.wait(self._user)
        self._asking = line
        # A chat that had to wait asks only when there is room for the answer as well.
        await self._slots.work.wait(self._user)
        self._slots.work.give_back(self._user)

    async def place_to_ask(self, provider: str) -> Callable[[], None]:
        """A place among the calls of this provider, beside the slot. Calling the result gives it back."""
        line = self._slots.asking(provider)
        await line.wait(self._user)
        return partial(line.give_back, self._user)

    def answered(self) -> None:
        """The provider has begun to answer, or never will."""
        self._stop_asking()
        self.resume_at_once()

    def rest(self) -> None:
        """Lend the slot, from now until it is resumed."""
        self._lend()

    async def resume(self) -> None:
        """Wait in line for the slot."""
        if not self._is_lent():
            return
        await self._slots.work.wait(self._user)
        if self._is_lent():
            self._working = True
        else:
            # It was resumed at once, or left, while we waited.
            self._slots.work.give_back(self._user)

    def resume_at_once(self) -> None:
        """Have the slot again, be one free or not."""
        if self._is_lent():
            self._working = True
            self._slots.work.seize(self._user)

    def leave(self) -> None:
        self._left = True
        self._stop_asking()
        self._lend()

    def _is_lent(self) -> bool:
        return not self._working and not self._left

    def _stop_asking(self) -> None:
        """Also for a chat that has left and still asks: a duty that was left behind."""
        if self._asking is not None:
            self._asking.give_back(self._user)
            self._asking = None

    def _lend(self) -> None:
        if self._working:
            self._working = False
            self._slots.work.give_back(self._user)


class Line:
    """A number of places, and the chats that wait for one."""

    def __init__(self, count: int) -> None:
        self._count = count
        # Below zero when more were seized than there are.
        self.free = count
        self._held: Counter[UserId] = Counter()
        self._waiting: dict[UserId, deque[asyncio.Future[None]]] = {}

    @property
    def idle(self) -> bool:
        return self.free == self._count and not self._waiting

    def take_at_once(self, user: UserId) -> bool:
        if self._waiting or not self._may_take(user):
            return False
        self.seize(user)
        return True

    async def wait(self, user: UserId) -> None:
        if self.take_at_once(user):
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, deque()).append(turn)
        self._hand_on()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was ours already; we leave without having used it.
                self.give_back(user)
            else:
                self._forget(user, turn)
            raise

    def seize(self, user: UserId) -> None:
        """Take a place, free or not."""
        self.free -= 1
        self._held[user] += 1

    def give_back(self, user: UserId) -> None:
        self.free += 1
        self._held[user] -= 1
        if not self._held[user]:
            del self._held[user]
        if self._waiting:
            self._hand_on()

    def _may_take(self, user: UserId) -> bool:
        held = self._held.get(user, 0)
        if self.free <= 0 and not held:
            # Others have seized all there are, perhaps at once. This user need not wait for them.
            return len(self._held) < self._count
        return self.free > 0 and (not held or held + 1 <= HELD_PER_FREE_SLOT * (self.free - 1))

    def _hand_on(self) -> None:
        """Give free places to waiting chats: to the user who holds the fewest, then to the next in turn."""
        while self._waiting:
            user = min(self._waiting, key=lambda each: self._held.get(each, 0))
            if not self._may_take(user):
                return  # Then no waiting chat may: all others hold at least as many.
            line = self._waiting.pop(user)
            turn = line.popleft()
            if line:
                self._waiting[user] = line  # Behind all other users.
            if not turn.done():
                self.seize(user)
                turn.set_result(None)

    def _forget(self, user: UserId, turn: "asyncio.Future[None]") -> None:
        """A chat gave up waiting. Perhaps it was noticed already, when it would have been their turn."""
        line = self._waiting.get(user, deque())
        if turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[user]
