"""Totals: what all model calls of a chat used and cost, kept on the chat's row.

Carried forward in the transaction that adds a message or a charge, so nothing is read to know them. Messages
of a branch that was left stay in them: they were paid for.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.message import Cost, Message, Usage
from chatd.domain.usage.charge import Charge

# More than any chat uses. A provider that reports nonsense must not make a sum that no decoder takes.
COUNT_MAX = 2**53

# How large a context is cannot be added up.
_ADDED = tuple(name for name in Usage.__struct_fields__ if not name.startswith("context_"))


class Totals(Struct, frozen=True, kw_only=True, omit_defaults=True):
    usage: Usage = Usage()
    # Of all calls whose price is known, in millionths of the currency.
    cost_micros: int = 0
    # Calls whose price is not known.
    unpriced: int = 0
    # The newest charge in the totals, as its history, attempt and number: one that is recorded again is not
    # added. Chats of before have no number.
    charged: tuple[int, ...] = (0, 0, 0)


def added(one: Usage, other: Usage | None) -> Usage:
    if other is None:
        return one
    return Usage(**{name: min(getattr(one, name) + getattr(other, name), COUNT_MAX) for name in _ADDED})


def with_messages(known: Totals, messages: Iterable[Message]) -> Totals:
    """A message without usage or cost comes from no model call, or its call has a charge of its own."""
    for message in messages:
        if message.usage is not None or message.cost is not None:
            known = _with_call(known, message.usage, message.cost)
    return known


def with_charges(known: Totals, charges: Iterable[Charge]) -> tuple[Totals, tuple[Charge, ...]]:
    """The totals with these charges, and those of them that are new."""
    new = []
    for charge in charges:
        key = (charge.history, charge.attempt, charge.number)
        # A chat has one driver, whose attempts only go up: what is not newer was recorded before.
        if key > (*known.charged, 0)[:3]:
            known = replace(_with_call(known, charge.usage, charge.cost), charged=key)
            new.append(charge)
    return known, tuple(new)


def with_text_charges(known: Totals, charges: Iterable[Charge]) -> Totals:
    """Calls beside the turns are recorded once, so each is new; and in no order with those of the turns."""
    for charge in charges:
        known = _with_call(known, charge.usage, charge.cost)
    return known


def _with_call(known: Totals, usage: Usage | None, cost: Cost | None) -> Totals:
    return replace(
        known,
        usage=added(known.usage, usage),
        cost_micros=min(known.cost_micros + (cost.micros if cost is not None else 0), COUNT_MAX),
        unpriced=known.unpriced + (cost is None),
    )
