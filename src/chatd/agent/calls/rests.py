"""The calls of a batch that have begun, and those of them that rest: they wait for a child chat or a person.

The calls of a batch share the slot of their chat. It is lent to other chats while all calls that have begun
rest, and only then: one that hangs beside a resting one is noticed by the watchdog as ever. A call that rests
gives its own place back as well. A call that wants both again takes the slot first: none that holds a place
waits for a slot, so the two never wait for each other.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager

from chatd.agent.calls.places import Place
from chatd.agent.hold.progress import Progress
from chatd.agent.services import Slot
from chatd.domain.call import Call


class Rests:
    """The calls of one batch: how many have begun, and how many of these rest."""

    def __init__(
        self, slot: Slot, progress: Progress, noting: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._slot = slot
        self._progress = progress
        # Notes for viewers that the chat waits for a slot.
        self._noting = noting
        self._begun = 0
        self._resting = 0
        # Closed when the slot is ours again; None while it is.
        self._lent: ExitStack | None = None
        self._resuming = asyncio.Lock()

    def begin_at_once(self, call: Call, place: Place) -> "BegunCall | None":
        """The call may run now. None: there is no place for it, or the slot is lent."""
        if self._lent is not None or not place.take_at_once():
            return None
        return BegunCall(self, call, place)

    async def begin(self, call: Call, place: Place) -> "BegunCall":
        """Wait for the slot, where it was lent, and for a place."""
        begun = BegunCall(self, call, place)
        try:
            await self.resume(place)
        except BaseException:
            begun.end()
            raise
        return begun

    def begin_rest(self) -> Callable[[], None]:
        """A call rests, until what is given back is called, once: then the slot is ours, free or not."""
        self.rest()
        return self.resume_at_once

    def count(self, begun: int) -> None:
        self._begun += begun
        self._lend_if_all_rest()

    def rest(self) -> None:
        self._resting += 1
        self._lend_if_all_rest()

    def rested(self) -> None:
        self._resting -= 1

    async def resume(self, place: Place) -> None:
        """Wait in line for the slot, as a chat does that begins, and for a place."""
        if self._lent is not None:
            await self._resume_slot()
        if not place.take_at_once():
            # What others hold is worth waiting for, and no sign of being stuck.
            with self._progress.pause():
                await place.take()

    def resume_at_once(self) -> None:
        self.rested()
        if self._lent is not None:
            self._slot.resume_at_once()
            self._is_ours_again()

    async def _resume_slot(self) -> None:
        """Several may want it at once: one waits in line for all of them."""
        async with self._resuming:
            if self._lent is not None:
                with self._noting():
                    await self._slot.resume()
                self._is_ours_again()

    def _lend_if_all_rest(self) -> None:
        if self._lent is None and 0 < self._begun == self._resting:
            self._slot.rest()
            self._lent = ExitStack()
            self._lent.enter_context(self._progress.pause())

    def _is_ours_again(self) -> None:
        lent, self._lent = self._lent, None
        if lent is not None:
            lent.close()


class BegunCall:
    """A call that has begun. Parts of its tool may rest at the same time: the first and the last count."""

    def __init__(self, rests: Rests, call: Call, place: Place) -> None:
        self.call = call
        self._rests = rests
        self._place = place
        self._resting = 0
        self._is_over = False
        rests.count(1)

    @asynccontextmanager
    async def resting(self) -> AsyncIterator[None]:
        """The call rests in the block.

        One whose rest fails or is cancelled does not wait for the slot, nor for a place: it has to end soon.
        """
        self._resting += 1
        if self._resting == 1:
            self._place.give_back()
            self._rests.rest()
        try:
            yield
        except BaseException:
            if self._is_rested():
                self._rests.resume_at_once()
            raise
        if self._is_rested():
            self._rests.rested()
            await self._rests.resume(self._place)

    def end(self) -> None:
        """The call is over, whatever its tool goes on to do. More than once is once."""
        if self._is_over:
            return
        self._is_over = True
        self._place.give_back()
        if self._resting:
            self._rests.rested()
        self._rests.count(-1)

    def _is_rested(self) -> bool:
        self._resting -= 1
        return not self._resting and not self._is_over


class NestedAsk:
    """The slot for a model call in the middle of a tool: until the provider answers, the tool rests."""

    def __init__(self, slot: Slot, rests: Rests) -> None:
        self._slot = slot
        self._rests = rests
        self._given = ExitStack()

    async def ask(self, provider: str) -> None:
        """Returns when the provider may be asked."""
        self._given.callback(self._rests.begin_rest())
        self._given.callback(await self._slot.place_to_ask(provider))

    def answered(self) -> None:
        """The provider has begun to answer, or never will. More than once is once."""
        self._given.close()
