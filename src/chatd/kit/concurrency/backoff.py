"""How long to wait before another try: twice as long after each failure, up to a bound (pure)."""

# Enough for every pause that makes sense, and small enough that the power stays a number a float can hold.
DOUBLINGS_MAX = 30


def backoff_seconds(failures: int, *, first_seconds: float, longest_seconds: float) -> float:
    """The pause after this many failures in a row; after none, there is none."""
    if failures <= 0:
        return 0.0
    return min(longest_seconds, first_seconds * 2.0 ** min(failures - 1, DOUBLINGS_MAX))
