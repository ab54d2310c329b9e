"""The connections that are open: each has a bell, and all of them end together when the server does."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from chatd.kit.bell import Bell
from chatd.kit.clock import Clock

TICK_SECONDS = 1.0
# How often a quiet stream shows that it lives; proxies close what is silent for longer.
BEAT_SECONDS = 15
# Whoever does not take what is sent within this time is dropped, and may come back with their cursor.
SEND_SECONDS = 10


class Sending:
    """Whether a connection is being sent to, and since which tick.

    One clock for all of them: a timer for each send would cost as much as the sending.
    """

    def __init__(self, limit: asyncio.Timeout) -> None:
        self.since: int | None = None
        self.limit = limit


class Streams:
    def __init__(self, clock: Clock) -> None:
        self.ticks = 0
        self._clock = clock
        self._bells: set[Bell] = set()
        self._sendings: set[Sending] = set()
        self._ended = False

    @property
    def ended(self) -> bool:
        """The server is going away; not the viewer."""
        return self._ended

    @contextmanager
    def open(self) -> Iterator[Bell]:
        bell = Bell()
        if self._ended:
            bell.end()
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)

    @contextmanager
    def limited(self, limit: asyncio.Timeout) -> Iterator[Sending]:
        """The limit strikes when one send takes too long."""
        sending = Sending(limit)
        self._sendings.add(sending)
        try:
            yield sending
        finally:
            self._sendings.discard(sending)

    async def run(self) -> None:
        while True:
            await self._clock.sleep(TICK_SECONDS)
            self.tick()

    def tick(self) -> None:
        """A second has passed: drop whoever is blocked, and now and then ring everybody's bell."""
        self.ticks += 1
        for sending in self._sendings:
            if sending.since is not None and self.ticks - sending.since > SEND_SECONDS:
                sending.since = None
                sending.limit.reschedule(asyncio.get_running_loop().time())
        if self.ticks % BEAT_SECONDS == 0:
            self.beat()

    def beat(self) -> None:
        """So that they can show a sign of life."""
        for bell in self._bells:
            bell.ring()

    def end(self) -> None:
        """Every stream comes to its end, now and from now on."""
        self._ended = True
        for bell in self._bells:
            bell.end()
