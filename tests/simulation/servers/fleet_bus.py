"""Hints over a PostgreSQL that is simulated: the server's own bus, on connections of ours.

Beyond what PostgreSQL does, notifications are lost, doubled, late and out of order; connections break; and
for a while, now and then, nothing is delivered at all, and no error tells so.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias, cast

from chatd.hints.hint import Hint
from chatd.hints.postgres import CLOSE_SECONDS, NOTIFY, PACES, PostgresBus
from chatd.kit.clock import Clock
from tests.simulation.chaos import DOUBLED, LATE, LOST, Chaos
from tests.simulation.servers.life import Life
from tests.simulation.servers.wire import LATE_SECONDS_MAX, Carrier

if TYPE_CHECKING:
    from chatd.hints.postgres import RawConnection

Notified: TypeAlias = Callable[[object, int, str, object], None]

# How often, of a hundred statements, the connection breaks.
BROKEN = 1.0


class FleetBus(PostgresBus):
    def __init__(self, postgres: "SimulatedPostgres", life: Life, clock: Clock) -> None:
        super().__init__("", clock, PACES)
        self._postgres = postgres
        self._life = life

    def publish(self, hint: Hint) -> None:
        self._postgres.judge(hint)
        super().publish(hint)

    async def connect(self) -> "RawConnection":
        await self._postgres.answer(self._life)
        return cast("RawConnection", Listening(self._postgres, self._life))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """As `open_postgres_bus` does it."""
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self.run(lambda: None), name="hints")
            try:
                yield
            finally:
                running.cancel()
                await asyncio.wait([running])
                with suppress(OSError, TimeoutError):
                    async with asyncio.timeout(CLOSE_SECONDS):
                        await self.say_goodbye()

    def hang_up(self) -> None:
        pass  # Its connections have ended with its tasks.


class SimulatedPostgres(Carrier):
    """LISTEN and NOTIFY."""

    def __init__(self, chaos: Chaos, raw: sqlite3.Connection) -> None:
        super().__init__(chaos, raw)
        self.listening: list[Listening] = []

    def bus_for(self, life: Life, clock: Clock) -> FleetBus:
        return FleetBus(self, life, clock)

    async def answer(self, life: Life) -> None:
        """A moment in which others run."""
        await asyncio.sleep(self.chaos.chance.choice((0, 0.001, 0.02)))
        life.check()
        if self.chaos.is_away():
            raise OSError("simulated absence")

    def notify(self, sender: "Listening", channel: str, payloads: Sequence[str]) -> None:
        if self.chaos.bus_is_silent():
            return
        for each in list(self.listening):
            for payload in payloads:
                # Its own come back in order: that is how it knows that it is heard.
                if each is sender:
                    each.hear(channel, payload)
                elif not self.chaos.strikes(LOST):
                    self._deliver(each, channel, payload)

    def _deliver(self, to: "Listening", channel: str, payload: str) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(2 if self.chaos.strikes(DOUBLED) else 1):
            delay = self.chaos.chance.uniform(0, LATE_SECONDS_MAX) if self.chaos.strikes(LATE) else 0.0
            loop.call_later(delay, to.hear, channel, payload)


class Listening:
    """A connection, with as much of asyncpg's as the bus uses."""

    def __init__(self, postgres: SimulatedPostgres, life: Life) -> None:
        self._postgres = postgres
        self._life = life
        self._heard: Notified | None = None
        self._lost: Callable[[object], None] | None = None

    def add_termination_listener(self, lost: Callable[[object], None]) -> None:
        self._lost = lost

    async def add_listener(self, channel: str, heard: Notified) -> None:
        await self._postgres.answer(self._life)
        self._heard = heard
        self._postgres.listening.append(self)

    async def execute(self, sql: str, channel: str, payloads: Sequence[str]) -> None:
        assert sql == NOTIFY
        await self._postgres.answer(self._life)
        if self._postgres.chaos.breaks(BROKEN) and self._lost is not None:
            self._lost(self)
            raise OSError("simulated end of a connection")
        self._postgres.notify(self, channel, payloads)

    def hear(self, channel: str, payload: str) -> None:
        # One that is late may come when nobody listens any more.
        if self._heard is not None and self in self._postgres.listening:
            self._heard(self, 0, channel, payload)

    def terminate(self) -> None:
        if self in self._postgres.listening:
            self._postgres.listening.remove(self)

    async def close(self) -> None:
        self.terminate()
