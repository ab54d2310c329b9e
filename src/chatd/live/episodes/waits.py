"""Why agents of this process get no further at the moment: no slot is free, or a provider is silent.

Only what lasts is shown: most waits are over before a user could read of them.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from chatd.domain.ids import SECOND, ChatId
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

    def __init__(self, waits: "Waits", chat_id: ChatId, reason: Reason, provider: str | None) -> None:
        self._waits = waits
        self._chat_id = chat_id
        self._reason: Reason = reason
        self._provider = provider
        self._shown: HeldUp | None = None
        self._timer = asyncio.get_running_loop().call_later(SHOWN_AFTER_SECONDS, self._show)

    def over(self) -> None:
        """More than once is once."""
        self._timer.cancel()
        if self._shown is not None and self._waits.shown.get(self._chat_id) is self._shown:
            del self._waits.shown[self._chat_id]
            self._waits.changed(self._chat_id)

    def _show(self) -> None:
        since = self._waits.clock.now_micros() - int(SHOWN_AFTER_SECONDS * SECOND)
        self._shown = HeldUp(reason=self._reason, since=rfc3339(since), provider=self._provider)
        self._waits.shown[self._chat_id] = self._shown
        self._waits.changed(self._chat_id)


class Waits:
    def __init__(self, clock: Clock, changed: Callable[[ChatId], None]) -> None:
        self.clock = clock
        # Told of each chat whose wait is shown from now on, or no longer.
        self.changed = changed
        self.shown: dict[ChatId, HeldUp] = {}

    @contextmanager
    def noting(self, chat_id: ChatId, reason: Reason, provider: str | None = None) -> Iterator[Wait]:
        """A chat waits in the block, unless it is over before."""
        wait = Wait(self, chat_id, reason, provider)
        try:
            yield wait
        finally:
            wait.over()
