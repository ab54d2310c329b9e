"""How long to wait before trying again: longer each time, up to a bound, and never all at once."""

from collections.abc import Callable

from chatd.kit.concurrency.backoff import backoff_seconds

FIRST_SECONDS = 0.25
LONGEST_SECONDS = 20.0


def delay_seconds(failures: int, chance: Callable[[], float]) -> float:
    """After this many failures in a row. `chance` is a number from 0 to 1.

    Half of it is left to chance, so that clients that lost one server do not come back together.
    """
    longest = backoff_seconds(failures, first_seconds=FIRST_SECONDS, longest_seconds=LONGEST_SECONDS)
    return longest * (0.5 + chance() / 2)
