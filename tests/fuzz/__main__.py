"""Damaged answers of every dialect, a great many of them.

    python -m tests.fuzz [--streams N] [--dialect all] [--seed S] [--processes 2]
    python -m tests.fuzz --dialect chat --seed S --only NUMBER       one again, with all that it said

The same seed makes the same answers. Whatever goes wrong is shown with the command that repeats it.
"""

import argparse
import logging
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

import structlog

from tests.fuzz.check import heard
from tests.fuzz.run import Failure, Tally, answer, target_of, try_one, try_range
from tests.fuzz.wires import WIRES

# One after the other in one process; small enough to show progress.
BATCH = 2500
SHOWN_MAX = 10


def main() -> int:
    options = _options()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    names = list(WIRES) if options.dialect == "all" else options.dialect.split(",")
    if options.only is not None:
        _show(names[0], options.seed, options.only)
        return 0
    print(f"{options.streams:,} streams of each of {', '.join(names)}; seed {options.seed}", flush=True)
    failures: list[Failure] = []
    for name in names:
        failures += _tried(name, options)
    for failure in failures[:SHOWN_MAX]:
        print(f"\n{failure.replay}\n{failure.why}")
    print(f"\n{len(failures):,} went wrong" if failures else "\nnothing went wrong")
    return 1 if failures else 0


def _tried(name: str, options: argparse.Namespace) -> list[Failure]:
    began = time.perf_counter()
    whole = Tally(Counter(), [])
    for tally in _tallies(name, options):
        whole.add(tally)
        if sys.stdout.isatty():
            print(f"\r{name:15} {whole.done:>9,}", end="", flush=True)
    took = time.perf_counter() - began
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in whole.outcomes.most_common())
    print(f"\r{name:15} {whole.done:>9,} in {took:.0f} s: {outcomes}")
    print(
        f"{'':15} slowest {whole.slowest_seconds * 1000:.0f} ms CPU (number {whole.slowest}), "
        f"memory at most {whole.largest_share:.0%} of what is allowed",
        flush=True,
    )
    return whole.failures


def _tallies(name: str, options: argparse.Namespace) -> Iterator[Tally]:
    with ProcessPoolExecutor(options.processes, initializer=_quiet) as pool:
        batches = [
            pool.submit(try_range, name, options.seed, range(start, min(start + BATCH, options.streams)))
            for start in range(0, options.streams, BATCH)
        ]
        for batch in as_completed(batches):
            yield batch.result()


def _quiet() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _show(name: str, seed: int, number: int) -> None:
    portions = answer(name, seed, number)
    print(f"{sum(map(len, portions)):,} bytes in {len(portions)} portions:")
    print(b"".join(portions).decode("utf-8", "replace"))
    events = heard(WIRES[name], target_of(name, number), portions)
    for event in events or ():
        print(str(event)[:300])
    print(try_one(name, seed, number))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--streams", type=int, default=100_000, help="how many of each dialect")
    parser.add_argument("--dialect", default="all", help=f"all, or some of {', '.join(WIRES)}")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="another one each time")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="only this one, with all that it said")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
