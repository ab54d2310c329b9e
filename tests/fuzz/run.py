"""One damaged answer after the other: what is tried, how long it may take, and what is found."""

import faulthandler
import time
import tracemalloc
from collections import Counter
from random import Random
from traceback import format_exception

from msgspec import Struct

from chatd.providers.capabilities.target import Target
from tests.fuzz.check import Wrong, check
from tests.fuzz.mutate import mutated
from tests.fuzz.wires import WIRES

# CPU for one answer, of which the largest have a megabyte. A usual one takes a millisecond.
SECONDS_MAX = 5.0
# Nothing at all may take this long; then it hangs, and says where.
HANG_SECONDS = 120
# One in so many is measured for its memory, which is slow.
MEASURED = 401
# Everything that is made of an answer, at its most: for each byte of it, and for the shortest.
MEMORY_PER_BYTE = 60
MEMORY_BASE = 4_000_000


class Failure(Struct, frozen=True):
    wire: str
    seed: int
    number: int
    why: str

    @property
    def replay(self) -> str:
        return f"python -m tests.fuzz --dialect {self.wire} --seed {self.seed} --only {self.number}"


class Tally(Struct):
    """What has become of a range of answers."""

    outcomes: Counter[str]
    failures: list[Failure]
    slowest_seconds: float = 0.0
    slowest: int = 0
    largest_share: float = 0.0

    @property
    def done(self) -> int:
        return self.outcomes.total()

    def add(self, other: "Tally") -> None:
        self.outcomes += other.outcomes
        self.failures += other.failures
        self.largest_share = max(self.largest_share, other.largest_share)
        if other.slowest_seconds > self.slowest_seconds:
            self.slowest_seconds, self.slowest = other.slowest_seconds, other.slowest


def answer(name: str, seed: int, number: int) -> list[bytes]:
    """The same bytes in the same portions, whenever it is asked for."""
    return mutated(WIRES[name], _random(name, seed, number))


def target_of(name: str, number: int) -> Target:
    targets = WIRES[name].targets
    return targets[number % len(targets)]


def try_one(name: str, seed: int, number: int) -> str:
    """How the answer ended. Raises whatever is wrong."""
    return check(WIRES[name], target_of(name, number), answer(name, seed, number))


def try_range(name: str, seed: int, numbers: range) -> Tally:
    tally = Tally(Counter(), [])
    for number in numbers:
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        try:
            if number % MEASURED == 0:
                tally.largest_share = max(tally.largest_share, _measured(name, seed, number))
            began = time.process_time()
            outcome = try_one(name, seed, number)
            _in_time(time.process_time() - began, number, tally)
        except Exception as error:  # noqa: BLE001 - nothing may escape, and whatever does is what we look for
            outcome = "wrong"
            why = "".join(format_exception(error)[-6:])
            tally.failures.append(Failure(name, seed, number, why))
        tally.outcomes[outcome] += 1
    faulthandler.cancel_dump_traceback_later()
    return tally


def _in_time(took: float, number: int, tally: Tally) -> None:
    if took > tally.slowest_seconds:
        tally.slowest_seconds, tally.slowest = took, number
    if took > SECONDS_MAX:
        raise Wrong(f"it took {took:.1f} s of CPU")


def _measured(name: str, seed: int, number: int) -> float:
    """Which part of the memory that is allowed for an answer of this size was used at most."""
    size = sum(len(portion) for portion in answer(name, seed, number))
    tracemalloc.start()
    try:
        try_one(name, seed, number)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    allowed = MEMORY_BASE + MEMORY_PER_BYTE * size
    if peak > allowed:
        raise Wrong(f"{peak:,} bytes of memory for an answer of {size:,}")
    return peak / allowed


def _random(name: str, seed: int, number: int) -> Random:
    return Random(f"{name}/{seed}/{number}")
