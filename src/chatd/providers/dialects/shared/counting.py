"""Numbers that providers count (pure)."""

from decimal import Decimal, InvalidOperation

from msgspec import Raw

MICROS = 1_000_000
# Beyond this a server does not count, it errs.
COST_MAX = 10_000_000


def count_of(number: float | None) -> int:
    """A count as we keep it. What is not said is nothing, and nothing is less than that."""
    return max(0, int(number)) if number is not None else 0


def micros_of(cost: Raw) -> int | None:
    """What a call has cost, in millionths; None when it is not said, or makes no sense."""
    amount = _amount(cost)
    if amount is None or not 0 <= amount <= COST_MAX:
        return None
    return int((amount * MICROS).to_integral_value())


def _amount(cost: Raw) -> Decimal | None:
    # As text and not as a float, so that nothing is lost.
    digits = bytes(cost).strip()
    if not digits:
        return None
    try:
        return Decimal(digits.decode("ascii"))
    except (InvalidOperation, UnicodeDecodeError):
        return None
