"""Calls that rest: they wait for a child chat or a person, and need neither the slot nor the watchdog.

The calls of a batch share the slot of their chat. It is lent to other chats while all calls that have begun
rest, and only then: one that hangs beside a resting one is noticed by the watchdog as ever.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager

from chatd.agent.progress import Progress
from chatd.agent.services import Slot


class Rests:
    """The calls of one batch: how many have begun, and how many of these rest."""

    def __init__(
        self, slot: Slot, progress: Progress, waiting: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._slot = slot
        self._progress = progress
        # Notes for viewers that the chat waits for a slot.
        self._waiting = waiting
        self._begun = 0
        self._resting = 0
        # Closed when the slot is ours again; None while it is.
        self._lent: ExitStack | None = None
        self._resuming = asyncio.Lock()

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """One call runs in the block, with the slot: it is waited for where it was lent."""
        self._begun += 1
        try:
            await self._resume()
            yield
        finally:
            self._begun -= 1
            self._lend_if_all_rest()

    @asynccontextmanager
    async def resting(self) -> AsyncIterator[None]:
        """A call rests in the block. Afterwards it waits in line for the slot, as a chat does that begins.

        One whose rest fails or is cancelled does not wait: it has to end soon.
        """
        self._resting += 1
        self._lend_if_all_rest()
        try:
            yield
        except BaseException:
            self._end_at_once()
            raise
        self._resting -= 1
        await self._resume()

    def begin(self) -> Callable[[], None]:
        """As `resting`, until what is given back is called, once: then the slot is ours, free or not."""
        self._resting += 1
        self._lend_if_all_rest()
        return self._end_at_once

    def _end_at_once(self) -> None:
        self._resting -= 1
        self._resume_at_once()

    def _lend_if_all_rest(self) -> None:
        if self._lent is None and 0 < self._begun == self._resting:
            self._slot.rest()
            self._lent = ExitStack()
            self._lent.enter_context(self._progress.pause())

    async def _resume(self) -> None:
        """Several may want it at once: one waits in line for all of them."""
        if self._lent is None:
            return
        async with self._resuming:
            if self._lent is not None:
                with self._waiting():
                    await self._slot.resume()
                self._is_ours_again()

    def _resume_at_once(self) -> None:
        if self._lent is not None:
            self._slot.resume_at_once()
            self._is_ours_again()

    def _is_ours_again(self) -> None:
        lent, self._lent = self._lent, None
        if lent is not None:
            lent.close()


class NestedAsk:
    """The slot for a model call in the middle of a tool: until the provider answers, the tool rests."""

    def __init__(self, slot: Slot, rests: Rests) -> None:
        self._slot = slot
        self._rests = rests
        self._given = ExitStack()

    async def ask(self, provider: str) -> None:
        """Returns when the provider may be asked."""
        self._given.callback(self._rests.begin())
        self._given.callback(await self._slot.place_to_ask(provider))

    def answered(self) -> None:
        """The provider has begun to answer, or never will. More than once is once."""
        self._given.close()
