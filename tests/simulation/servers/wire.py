"""What carries hints between processes that share no PostgreSQL: it loses, doubles and delays them."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from chatd.hints.bus import Bus
from chatd.hints.hint import ChatChanged, Hint
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import Clock
from tests.simulation.chaos import DOUBLED, LATE, LOST, Chaos, Violation
from tests.simulation.servers.life import Life

LATE_SECONDS_MAX = 3.0


class ProcessBus(Bus, Protocol):
    """One process's end of it."""

    @asynccontextmanager
    def opened(self) -> AsyncIterator[None]:
        """Inside the block hints travel, until the process ends or is killed."""
        ...

    def hang_up(self) -> None:
        """The process is no more."""
        ...


class Carrier:
    """Looks at each hint that is sent."""

    def __init__(self, chaos: Chaos, raw: sqlite3.Connection) -> None:
        self.chaos = chaos
        self._raw = raw
        # Noted and not raised: whoever sends a hint may be prepared for errors of all kinds.
        self._violations: list[str] = []

    def bus_for(self, life: Life, clock: Clock) -> ProcessBus:
        raise NotImplementedError

    def check(self) -> None:
        if self._violations:
            raise Violation(self._violations[0])

    def judge(self, hint: Hint) -> None:
        """Nobody may hear of a change that is not committed: it could still be undone."""
        if self._raw.in_transaction:
            self._violations.append(f"{hint} was sent from inside a transaction")
        if isinstance(hint, ChatChanged):
            row = self._raw.execute(
                "SELECT snapshot_version FROM chats WHERE id = ?", (hint.chat_id,)
            ).fetchone()
            if row is not None and row[0] < hint.snapshot:
                self._violations.append(f"{hint} was sent before its commit")


class Wire(Carrier):
    """Worse than any bus that there is: even a hint of a process to itself may be lost."""

    def __init__(self, chaos: Chaos, raw: sqlite3.Connection) -> None:
        super().__init__(chaos, raw)
        self._ends: list[WireEnd] = []

    def bus_for(self, life: Life, clock: Clock) -> "WireEnd":
        end = WireEnd(self)
        self._ends.append(end)
        return end

    def carry(self, hint: Hint) -> None:
        self.judge(hint)
        for end in list(self._ends):
            if self.chaos.strikes(LOST):
                continue
            for _ in range(2 if self.chaos.strikes(DOUBLED) else 1):
                self._deliver(end, hint)

    def remove(self, end: "WireEnd") -> None:
        self._ends.remove(end)

    def _deliver(self, end: "WireEnd", hint: Hint) -> None:
        if self.chaos.strikes(LATE):
            delay = self.chaos.chance.uniform(0, LATE_SECONDS_MAX)
            asyncio.get_running_loop().call_later(delay, end.arrive, hint)
        else:
            end.arrive(hint)


class WireEnd(MemoryBus):
    """What is published goes to everyone, including itself."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    def publish(self, hint: Hint) -> None:
        self._wire.carry(hint)

    def arrive(self, hint: Hint) -> None:
        super().publish(hint)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    def hang_up(self) -> None:
        self._wire.remove(self)
