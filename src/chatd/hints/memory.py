"""Hints within one process."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from chatd.hints.hint import Hint


class Inbox:
    """One listener's hints. Only the newest of each kind for each chat is kept, so it cannot overflow."""

    def __init__(self) -> None:
        self._newest: dict[tuple[type[Hint], str], Hint] = {}
        self._arrived = asyncio.Event()

    def put(self, hint: Hint) -> None:
        self._newest[type(hint), hint.chat_id] = hint
        self._arrived.set()

    async def wait_for_hints(self) -> list[Hint]:
        """Everything that arrived since the last call, oldest chat first; waits until there is something."""
        await self._arrived.wait()
        self._arrived.clear()
        hints, self._newest = list(self._newest.values()), {}
        return hints


class MemoryBus:
    def __init__(self) -> None:
        self._inboxes: set[Inbox] = set()

    def publish(self, hint: Hint) -> None:
        for inbox in self._inboxes:
            inbox.put(hint)

    @contextmanager
    def listening(self) -> Iterator[Inbox]:
        inbox = Inbox()
        self._inboxes.add(inbox)
        try:
            yield inbox
        finally:
            self._inboxes.discard(inbox)
