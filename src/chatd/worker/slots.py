"""Slots: how many chats may work at once, and who is next when all are taken.

A slot may be held for hours. Users stand in line for them as `kit/concurrency/line.py` has it: the first is
always given, if there is one, and no user holds all of them.

A chat that has asked a provider and has not heard anything yet does not work. It lends its slot to others,
and is one of the chats that wait for this provider, of which there is a bound as well: so a provider that
never answers holds up only its own chats. When the answer begins, the chat has its slot again at once, be
one free or not: what was asked for is paid for, and must not wait. While none is free, a user who holds none
is given a first one nevertheless, unless as many users as there are slots hold some.

A chat whose tools rest lends its slot as well, and waits in line for one when the rest is over: nothing was
paid for that could get lost.
"""

from collections.abc import Callable, Sequence
from functools import partial

from chatd.domain.ids import UserId
from chatd.kit.concurrency.line import Line


class UserLine(Line[UserId]):
    """As chats that were paid for seize their slots, there may be none for a user who holds none."""

    def may_take(self, key: UserId) -> bool:
        if self.free <= 0 and not self.held.get(key, 0):
            # Others have seized all there are, perhaps at once. This user need not wait for them.
            return len(self.held) < self.count
        return super().may_take(key)


class Slots:
    """The slots of one process: for work, and for each provider as many that wait for its first byte."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.work = UserLine(count)
        self._asking: dict[str, UserLine] = {}

    def take_at_once(self, user: UserId) -> "Slot | None":
        """None: the user has to wait for one."""
        return Slot(self, user) if self.work.take_at_once(user) else None

    async def take(self, user: UserId) -> "Slot":
        """Wait for a slot. Whoever has it leaves it."""
        await self.work.wait(user)
        return Slot(self, user)

    async def place_to_ask(self, user: UserId, provider: str) -> Callable[[], None]:
        """A place among the calls of this provider, without a slot. Calling the result gives it back."""
        line = self.asking(provider)
        await line.wait(user)
        return partial(line.give_back, user)

    def all_asking(self) -> Sequence[UserLine]:
        """Those of every provider."""
        return tuple(self._asking.values())

    def asking(self, provider: str) -> UserLine:
        """The chats that wait for the first byte of this provider."""
        line = self._asking.get(provider)
        if line is None or line.idle:
            # Providers come and go; one without a chat is forgotten.
            self._asking = {name: each for name, each in self._asking.items() if not each.idle}
            line = self._asking[provider] = UserLine(self._count)
        return line


class Slot:
    """What one chat holds."""

    def __init__(self, slots: Slots, user: UserId) -> None:
        self._slots = slots
        self._user = user
        self._working = True
        self._asking: UserLine | None = None
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
        return await self._slots.place_to_ask(self._user, provider)

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
        """More than once is once."""
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
