"""The connections that are open: each has a bell, and all of them end together when the server does."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Literal

from msgspec import Struct

from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell

# How often a quiet stream shows that it lives; proxies close what is silent for longer.
BEAT_SECONDS = 15
# How late a stream may ask again whether its viewer may watch, after the moment that it has named.
TICK_SECONDS = 1


class StreamKind(Struct, frozen=True):
    """What is watched, and over what."""

    of: Literal["chat", "list", "guest"]
    over: Literal["sse", "websocket"]


KINDS = tuple(StreamKind(of, over) for of in ("chat", "list", "guest") for over in ("sse", "websocket"))


class Streams:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # With the moment at which each asks again whether its viewer may watch.
        self._bells: dict[Bell, float] = {}
        self._kinds: Counter[StreamKind] = Counter()
        self._ended = False
        # How often somebody's ways in have changed, as far as this process has heard.
        self.changes = 0

    @property
    def ended(self) -> bool:
        """The server is going away; not the viewer."""
        return self._ended

    def counted(self, kind: StreamKind) -> int:
        """How many are open."""
        return self._kinds[kind]

    @contextmanager
    def open(self, kind: StreamKind) -> Iterator[Bell]:
        bell = Bell()
        if self._ended:
            bell.end()
        self._bells[bell] = inf
        self._kinds[kind] += 1
        try:
            yield bell
        finally:
            del self._bells[bell]
            self._kinds[kind] -= 1

    def ask_at(self, bell: Bell, monotonic: float) -> None:
        """The bell is rung then, or a moment later."""
        self._bells[bell] = monotonic

    async def run(self) -> None:
        beat_at = self._clock.monotonic() + BEAT_SECONDS
        while True:
            await self._clock.sleep(TICK_SECONDS)
            now = self._clock.monotonic()
            if now >= beat_at:
                beat_at = now + BEAT_SECONDS
                self.beat()
            else:
                self.tick()

    def tick(self) -> None:
        """Have those ask again whose moment has come."""
        now = self._clock.monotonic()
        for bell, at in self._bells.items():
            if at <= now:
                bell.ring()

    def beat(self) -> None:
        """So that they can show a sign of life."""
        for bell in self._bells:
            bell.ring()

    def ask_again(self) -> None:
        """Whether each viewer may go on to watch."""
        self.changes += 1
        self.beat()

    def hear(self, change: CatalogChanged) -> None:
        if change.kind in (CatalogKind.USER_ACCESS, CatalogKind.EVERYTHING):
            self.ask_again()

    def end(self) -> None:
        """Every stream comes to its end, now and from now on."""
        self._ended = True
        for bell in self._bells:
            bell.end()
