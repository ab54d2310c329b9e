"""Faults, drawn from a seed: what can go wrong between any two awaits of a server."""

import asyncio
import random
import sqlite3
from typing import TypeVar

from chatd.hints.hint import ChatChanged, Hint
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Body, Pace
from chatd.storage.queries import Dialect
from chatd.storage.sqlite import InlineSQLite

T = TypeVar("T")

# How often, of a hundred database calls.
CRASHES = 1.5
FAILURES = 3.0
FREEZES = 0.7
# Longer than a lease lasts: the others take the chats of a frozen process, and then it wakes up.
FREEZE_SECONDS = (11.0, 40.0)
# How often, of a hundred hints.
LOST = 15.0
DOUBLED = 10.0
LATE = 10.0


class Killed(BaseException):
    """The process this code ran in no longer exists. Nothing may catch it."""


class Violation(AssertionError):
    """A promise was broken."""


class Chaos:
    """Chance and what it has done so far. `calm` ends all faults, so that the world can come to rest."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.calm = False
        # In some worlds nothing breaks: there only people and lost hints make trouble.
        self.gentle = seed % 3 == 0
        self.crashes = 0
        # Moments of faults, in seconds of the loop: what a check must make allowances for.
        self.faults: list[float] = []

    def breaks(self, percent: float) -> bool:
        return not self.gentle and self.strikes(percent)

    def strikes(self, percent: float) -> bool:
        return not self.calm and self.chance.random() * 100 < percent

    def noted(self) -> None:
        self.faults.append(asyncio.get_running_loop().time())


class ProcessDatabase:
    """The database as one process sees it: slow, sometimes failing, and gone when the process is."""

    dialect = Dialect.SQLITE

    def __init__(self, inner: InlineSQLite, chaos: Chaos) -> None:
        self._inner = inner
        self._chaos = chaos
        self.killed = asyncio.Event()

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        await self._trouble()
        self._chaos_fails("before the commit")
        result = await self._inner.write(body, pace=pace)
        await self._trouble()
        self._chaos_fails("after the commit")
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        await self._trouble()
        return await self._inner.read(body, pace=pace)

    async def _trouble(self) -> None:
        """A moment in which others run, and in which this process may die or stand still."""
        self._die_if_killed()
        if self._chaos.breaks(FREEZES):
            self._chaos.noted()
            await asyncio.sleep(self._chaos.chance.uniform(*FREEZE_SECONDS))
        else:
            await asyncio.sleep(self._chaos.chance.choice((0, 0, 0.001, 0.02)))
        if self._chaos.breaks(CRASHES):
            self._chaos.noted()
            self._chaos.crashes += 1
            self.killed.set()
        self._die_if_killed()

    def _die_if_killed(self) -> None:
        if self.killed.is_set():
            raise Killed

    def _chaos_fails(self, moment: str) -> None:
        if self._chaos.breaks(FAILURES):
            self._chaos.noted()
            raise sqlite3.OperationalError(f"simulated failure {moment}")


class Wire:
    """What carries hints between the processes: it loses, doubles and delays them."""

    def __init__(self, chaos: Chaos, raw: sqlite3.Connection) -> None:
        self._chaos = chaos
        self._raw = raw
        self.buses: list[MemoryBus] = []

    def carry(self, hint: Hint) -> None:
        self._check(hint)
        for bus in list(self.buses):
            if self._chaos.strikes(LOST):
                continue
            for _ in range(2 if self._chaos.strikes(DOUBLED) else 1):
                self._deliver(bus, hint)

    def _deliver(self, bus: MemoryBus, hint: Hint) -> None:
        if self._chaos.strikes(LATE):
            asyncio.get_running_loop().call_later(self._chaos.chance.uniform(0, 3), bus.publish, hint)
        else:
            bus.publish(hint)

    def _check(self, hint: Hint) -> None:
        """Nobody may hear of a change that is not committed: it could still be undone."""
        if self._raw.in_transaction:
            raise Violation(f"{hint} was sent from inside a transaction")
        if isinstance(hint, ChatChanged):
            row = self._raw.execute(
                "SELECT snapshot_version FROM chats WHERE id = ?", (hint.chat_id,)
            ).fetchone()
            if row is not None and row[0] < hint.snapshot:
                raise Violation(f"{hint} was sent before its commit")


class ProcessBus(MemoryBus):
    """One process's end of the wire."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire
        wire.buses.append(self)

    def publish_from_here(self, hint: Hint) -> None:
        self._wire.carry(hint)


class OutgoingBus:
    """What a process's store publishes to: over the wire, to everyone including itself."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def publish(self, hint: Hint) -> None:
        self._wire.carry(hint)
