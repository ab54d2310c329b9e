"""Slots: how many chats may work at once, and who is next when all are taken.

Those who wait get a slot in turn by user, so that one user with many chats does not hold up another
with one; within a user the longest waiting comes first.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chatd.domain.ids import UserId


class Slots:
    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: dict[UserId, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def take(self, user: UserId) -> AsyncIterator[None]:
        """Wait for a slot, hold it for the block."""
        await self._wait_for_slot(user)
        try:
            yield
        finally:
            self._free += 1
            self._hand_on()

    async def _wait_for_slot(self, user: UserId) -> None:
        if self._free and not self._waiting:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, deque()).append(turn)
        self._hand_on()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # It was ours already; we leave without having used it.
                self._free += 1
                self._hand_on()
            raise

    def _hand_on(self) -> None:
        """Give free slots to those who wait, one user after the other."""
        while self._free and self._waiting:
            user = next(iter(self._waiting))
            line = self._waiting.pop(user)
            turn = line.popleft()
            if line:
                self._waiting[user] = line  # Behind all other users.
            if not turn.done():
                self._free -= 1
                turn.set_result(None)
