"""Faults, drawn from a seed: what can go wrong between any two awaits of a server."""

import asyncio
import random
import sqlite3
from typing import NamedTuple, TypeVar

from msgspec import Struct

from chatd.domain.part import Text
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.errors import BadInput, Unavailable
from chatd.storage.database import Body, Connection, Database, Pace
from chatd.storage.queries import SqlEngine
from chatd.storage.transactions.transact import Done
from tests.simulation.servers.life import Life
from tests.support.virtual import sleep

T = TypeVar("T")

# How often, of a hundred database calls.
CRASHES = 1.2
FAILURES = 2.0
FREEZES = 0.7
# Longer than a lease lasts: the others take the chats of a frozen process, and then it wakes up.
FREEZE_SECONDS = (11.0, 40.0)
# In some worlds the database is away once, for all processes, from some moment on.
ABSENCE_SECONDS = 60.0
ABSENCE_BEGINS = (3.0, 60.0)
# In those with a fleet nothing is delivered for a while, and no error tells so.
SILENCE_SECONDS = (2.0, 30.0)
SILENCE_BEGINS = (3.0, 60.0)
# How far clocks jump, and when.
JUMP_SECONDS = (-90.0, 90.0)
JUMP_EVERY_SECONDS = (5.0, 60.0)
# What no reply may say: a rule that a script breaks each time it is tried.
FORBIDDEN = "forbidden"
RULE = f"No reply says {FORBIDDEN!r}."
# How long others run around a call of the database, one as often as the other.
MOMENT_SECONDS = (0, 0, 0.001, 0.02)
# How often, of a hundred hints.
LOST = 15.0
DOUBLED = 10.0
LATE = 10.0


class Violation(AssertionError):
    """A promise was broken."""


class Fault(NamedTuple):
    """What a check must make allowances for."""

    # In seconds of the loop.
    at: float
    process: str
    # Who called the database when it happened: `work` or `live`.
    caller: str
    kind: str


class Story(Struct, frozen=True, kw_only=True):
    """How much of what a seed has happens."""

    users: int = 2
    deeds: int = 6
    # The numbers of faults that are left out.
    spared: frozenset[int] = frozenset()


WHOLE = Story()


class Chaos:
    """Chance and what it has done so far. `calm` ends all faults, so that the world can come to rest."""

    def __init__(self, seed: int, story: Story = WHOLE) -> None:
        self.chance = random.Random(seed)
        self.story = story
        self.calm = False
        # How often chance was asked for a fault, and the numbers of those that happened.
        self._asked = 0
        self.struck: list[int] = []
        # In some worlds nothing breaks: there only people and lost hints make trouble.
        self.gentle = seed % 3 == 0
        # In half of these worlds the database is away for a minute, and that is all that breaks.
        self.has_absence = seed % 6 == 0
        self._away_from = self.chance.uniform(*ABSENCE_BEGINS) if self.has_absence else float("inf")
        # In some worlds hints travel over PostgreSQL, which is silent for a while.
        self.has_fleet = seed % 5 in (1, 4)
        begins = self.chance.uniform(*SILENCE_BEGINS) if self.has_fleet else float("inf")
        self._silent = (begins, begins + self.chance.uniform(*SILENCE_SECONDS))
        # In some worlds the clock on the wall, which is the database's too, jumps now and then.
        self.has_jumps = not self.gentle and seed % 4 == 3
        # In some worlds there are chats that cannot be read, more than a worker takes at once.
        self.has_unreadable = seed % 16 == 1
        # In some worlds chats are long, and summed up.
        self.has_long_chats = seed % 8 == 7
        # In some worlds chats plan, ask, have agents work for them, and get titles.
        self.has_long_work = seed % 7 in (3, 5)
        # In some worlds chats work on files.
        self.has_workspaces = seed % 4 in (1, 2) and not self.has_long_work
        # In some worlds clients leave without an answer, and their time runs out.
        self.has_absent_clients = seed % 4 == 0
        # In some worlds a process works on one chat at a time, and the others wait.
        self.slots = 1 if seed % 5 == 2 else 4
        self.faults: list[Fault] = []

    def is_away(self) -> bool:
        return self.has_absence and 0 <= asyncio.get_running_loop().time() - self._away_from < ABSENCE_SECONDS

    def bus_is_silent(self) -> bool:
        begins, ends = self._silent
        return self.has_fleet and not self.calm and begins <= asyncio.get_running_loop().time() < ends

    def breaks(self, percent: float) -> bool:
        return not self.gentle and self.strikes(percent)

    def strikes(self, percent: float) -> bool:
        if self.calm:
            return False
        self._asked += 1
        if self.chance.random() * 100 >= percent or self._asked in self.story.spared:
            return False
        self.struck.append(self._asked)
        return True

    def noted(self, process: str, caller: str, kind: str) -> None:
        self.faults.append(Fault(asyncio.get_running_loop().time(), process, caller, kind))


class ProcessDatabase:
    """The database as one process sees it: slow, sometimes failing, and gone when the process is."""

    engine = SqlEngine.SQLITE

    def __init__(self, inner: Database, chaos: Chaos, life: Life, caller: str) -> None:
        self._inner = inner
        self._chaos = chaos
        self._life = life
        self._caller = caller

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        await self._trouble()
        self._fail_perhaps("before the commit")
        result = await self._inner.write(lambda tx: _within_the_rule(tx, body), pace=pace)
        await self._trouble()
        self._fail_perhaps("after the commit")
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        await self._trouble()
        self._fail_perhaps("of a read")
        return await self._inner.read(body, pace=pace)

    async def moment(self) -> None:
        """One like those around a transaction, for what this process does elsewhere."""
        await self._trouble()

    async def _trouble(self) -> None:
        """A moment in which others run, and in which this process may die or stand still."""
        chaos, life = self._chaos, self._life
        life.check()
        if chaos.breaks(FREEZES):
            self._note("freeze")
            await sleep(chaos.chance.uniform(*FREEZE_SECONDS))
        else:
            # As `choice` does it, which takes three calls of Python.
            await sleep(MOMENT_SECONDS[int(chaos.chance.random() * len(MOMENT_SECONDS))])
        if chaos.breaks(CRASHES):
            self._note("crash")
            life.kill()
        life.check()

    def _fail_perhaps(self, moment: str) -> None:
        if self._chaos.is_away():
            self._note("absence")
            raise Unavailable(f"simulated absence {moment}")
        if self._chaos.breaks(FAILURES):
            self._note("failure")
            raise sqlite3.OperationalError(f"simulated failure {moment}")

    def _note(self, kind: str) -> None:
        self._chaos.noted(self._life.name, self._caller, kind)


async def _within_the_rule(tx: Connection, body: Body[T]) -> T:
    """Refuse a reply that says what none may say, as one of our own rules would."""
    result = await body(tx)
    if isinstance(result, Done) and any(isinstance(each, CommitStep) for each in result.commands):
        words = [part.text for each in result.appended for part in each.content if isinstance(part, Text)]
        if any(FORBIDDEN in text and not text.startswith("#") for text in words):
            raise BadInput("forbidden", RULE)
    return result
