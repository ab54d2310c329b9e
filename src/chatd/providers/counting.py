"""Numbers that providers count (pure)."""


def count_of(number: float | None) -> int:
    """A count as we keep it. What is not said is nothing, and nothing is less than that."""
    return max(0, int(number)) if number is not None else 0
