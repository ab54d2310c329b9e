"""How long to wait before trying again: longer each time, up to a bound, and never all at once."""

from collections.abc import Callable

FIRST_SECONDS = 0.25
LONGEST_SECONDS = 20.0
DOUBLINGS_MAX = 30


def delay_seconds(failures: int, chance: Callable[[], float]) -> float:
    """After this many failures in a row. `chance` is a number from 0 to 1.

    Half of it is left to chance, so that clients that lost one server do not come back together.
    """
    longest = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** min(failures - 1, DOUBLINGS_MAX))
    return longest * (0.5 + chance() / 2)
