"""Why agents of this process get no further at the moment: no slot is free, or a provider is silent.

Only what lasts is shown: most waits are over before a user could read of them.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from chatd.domain.ids import ChatId
from chatd.kit.clock import Clock, rfc3339

SHOWN_AFTER_SECONDS = 3.0

Reason = Literal["slot", "provider"]


class HeldUp(Struct, frozen=True, kw_only=True):
    """What an agent waits for: a slot of the server, or the first byte of a provider."""

    reason: Reason
    since: str
    provider: str | None = None


class Wait:
    """One wait, until it is over."""

    def __init__(self, chat_id: ChatId, held_up: HeldUp, waits: "Waits") -> None:
        self._chat_id = chat_id
        self._held_up = held_up
        self._waits = waits
        self._timer = asyncio.get_running_loop().call_later(SHOWN_AFTER_SECONDS, self._show)

    def over(self) -> None:
        """More than once is once."""
        self._timer.cancel()
        if self._waits.shown.get(self._chat_id) is self._held_up:
            del self._waits.shown[self._chat_id]
            self._waits.changed(self._chat_id)

    def _show(self) -> None:
        self._waits.shown[self._chat_id] = self._held_up
        self._waits.changed(self._chat_id)


class Waits:
    def __init__(self, clock: Clock, changed: Callable[[ChatId], None]) -> None:
        self._clock = clock
        # Told of each chat whose wait is shown from now on, or no longer.
        self.changed = changed
        self.shown: dict[ChatId, HeldUp] = {}

    @contextmanager
    def noting(self, chat_id: ChatId, reason: Reason, provider: str | None = None) -> Iterator[Wait]:
        """A chat waits in the block, unless it is over before."""
        since = rfc3339(self._clock.now_micros())
        wait = Wait(chat_id, HeldUp(reason=reason, since=since, provider=provider), self)
        try:
            yield wait
        finally:
            wait.over()
