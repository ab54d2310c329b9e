"""What is done to the fleet, and when: all of it drawn from the seed before anything happens."""

import random
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

# Messages that viewers are told of before the next disturbance: the faster the machine, the sooner it comes.
SAVED_BETWEEN = (1, 40)


class Kind(StrEnum):
    """The kinds of disturbances."""

    KILL = "kill"  # kill -9
    PAUSE = "pause"  # SIGSTOP until its chats have gone to others, then SIGCONT
    STOP = "stop"  # SIGTERM
    CUT = "cut"  # every connection to the database
    RESTART = "restart"  # of the database
    CRASH = "crash"  # of the database, which then recovers


class Step(NamedTuple):
    kind: Kind
    saved_before: int
    # Which of the servers that are up, as a fraction of them.
    target: float
    # Whether a server that was killed starts again before its chats have gone to others.
    back_at_once: bool

    def __str__(self) -> str:
        back = ", back at once" if self.kind is Kind.KILL and self.back_at_once else ""
        return f"{self.kind.value} after {self.saved_before} saved messages{back}"


def endless_plan(seed: int) -> Iterator[Step]:
    """Each kind once, in any order; then again, in another order."""
    chance = random.Random(seed)
    while True:
        for kind in chance.sample(list(Kind), len(Kind)):
            yield Step(kind, chance.randint(*SAVED_BETWEEN), chance.random(), chance.random() < 0.5)
