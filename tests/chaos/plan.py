"""What is done to the fleet, and when: all of it drawn from the seed before anything happens."""

import math
import random
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

# Messages that viewers are told of before the next disturbance: the faster the machine, the sooner it comes.
SAVED_BETWEEN = (1, 40)
# How long the listening connections are cut: as often for less than eight seconds as for longer.
DEAF_SECONDS = (1.0, 60.0)


class Kind(StrEnum):
    """The kinds of disturbances."""

    KILL = "kill"  # kill -9
    PAUSE = "pause"  # SIGSTOP until its chats have gone to others, then SIGCONT
    STOP = "stop"  # SIGTERM
    CUT = "cut"  # every connection to the database
    RESTART = "restart"  # of the database
    CRASH = "crash"  # of the database, which then recovers
    DEAF = "deaf"  # the listening connections of a server, or of all, are cut for a while


class Step(NamedTuple):
    kind: Kind
    saved_before: int
    # Which of the servers, as a fraction of those that can be chosen.
    target: float
    # Whether a server that was killed starts again before its chats have gone to others.
    back_at_once: bool
    # Of the listening connections: whose, and for how long.
    is_everywhere: bool
    deaf_seconds: float

    def __str__(self) -> str:
        return f"{self.kind.value} after {self.saved_before} saved messages{self._more}"

    @property
    def _more(self) -> str:
        if self.kind is Kind.DEAF:
            return f", {'all servers' if self.is_everywhere else 'one server'} for {self.deaf_seconds:.0f} s"
        return ", back at once" if self.kind is Kind.KILL and self.back_at_once else ""


def endless_plan(seed: int) -> Iterator[Step]:
    """Each kind once, in any order; then again, in another order."""
    chance = random.Random(seed)
    while True:
        for kind in chance.sample(list(Kind), len(Kind)):
            yield Step(
                kind,
                chance.randint(*SAVED_BETWEEN),
                target=chance.random(),
                back_at_once=chance.random() < 0.5,
                is_everywhere=chance.random() < 0.5,
                deaf_seconds=_deaf_seconds(chance),
            )


def _deaf_seconds(chance: random.Random) -> float:
    shortest, longest = map(math.log, DEAF_SECONDS)
    return math.exp(chance.uniform(shortest, longest))
