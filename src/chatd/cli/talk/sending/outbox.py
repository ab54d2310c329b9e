"""What was typed and has not reached the server: kept, tried again with pauses, shown when it is given up."""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import Protocol

from chatd.cli.advice import in_talk
from chatd.client import ApiError, Unreachable
from chatd.client.backoff import delay_seconds
from chatd.errors import Unusable
from chatd.kit.clock import Clock, SystemClock

# Short, because a person waits; with `tries_max` of them, about as long as the comments below say.
PAUSE_SECONDS_MAX = 5.0
# At a terminal about an hour, in a pipe about two minutes.
TERMINAL_TRIES_MAX = 720
PIPE_TRIES_MAX = 24
# Messages that are kept while the server is away. One more is refused, and the user is told so.
KEPT_MAX = 100

# The server, or what it needs, is not there for the moment.
_AWAY = frozenset({502, 503, 504})


class Outgoing(Protocol):
    """Something typed that the server is to know."""

    @property
    def words(self) -> str: ...

    async def send(self) -> None:
        """May be called again when its answer was lost: the second time has no second effect.

        Raises ApiError, Unreachable and Unusable.
        """
        ...


class Outbox:
    """Keeps the order. `tell` shows a sentence, `away` is called when the server cannot be reached and `back`
    when it is back. Where what is kept can be seen (`is_shown`), it is not told that it is kept.
    """

    def __init__(
        self,
        *,
        tell: Callable[[str], None],
        away: Callable[[Exception], None],
        back: Callable[[], None],
        tries_max: int,
        is_shown: bool = False,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._tell = tell
        self._away = away
        self._back = back
        self._is_shown = is_shown
        self._tries_max = tries_max
        self._clock = clock or SystemClock()
        self._chance = chance
        self._kept: deque[Outgoing] = deque()
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._emptied.set()

    @property
    def is_empty(self) -> bool:
        return not self._kept

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(each.words for each in self._kept)

    async def send(self, outgoing: Outgoing) -> None:
        """Now, or when the server is back. Raises what `Outgoing.send` raises otherwise."""
        if self._kept:
            self._keep(outgoing)
            return
        try:
            await outgoing.send()
        except (ApiError, Unreachable) as error:
            if not _is_away(error):
                raise
            self._away(error)
            self._keep(outgoing)

    def give_up(self) -> tuple[str, ...]:
        """The words that are not sent any more."""
        words = self.kept
        self._kept.clear()
        self._emptied.set()
        return words

    async def wait_until_empty(self) -> None:
        await self._emptied.wait()

    async def run(self) -> None:
        """Send what is kept, as soon as the server is back. Raises Unreachable when it stays away."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            await self._send_kept()

    def _keep(self, outgoing: Outgoing) -> None:
        if len(self._kept) >= KEPT_MAX:
            raise Unusable(f"{KEPT_MAX} messages wait for the server already. This one is not kept.")
        self._kept.append(outgoing)
        self._emptied.clear()
        self._filled.set()
        if not self._is_shown:
            self._tell(f"Will be sent when the server is back (Ctrl-C gives up): {outgoing.words}")

    async def _send_kept(self) -> None:
        failures = 1
        while self._kept:
            await self._clock.sleep(min(PAUSE_SECONDS_MAX, delay_seconds(failures, self._chance)))
            if not self._kept:
                return
            first = self._kept[0]
            try:
                await first.send()
            except (ApiError, Unreachable, Unusable) as error:
                if _is_away(error):
                    failures += 1
                    if failures >= self._tries_max:
                        raise
                    continue
                self._tell(f"{in_talk(error)} Not sent: {first.words}")
            failures = 1
            # It may have been given up meanwhile.
            if self._kept and self._kept[0] is first:
                self._kept.popleft()
            self._back()
        self._emptied.set()


def _is_away(error: Exception) -> bool:
    return isinstance(error, Unreachable) or (isinstance(error, ApiError) and error.status in _AWAY)
