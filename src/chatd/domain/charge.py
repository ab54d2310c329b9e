"""Charges: model calls that were paid for and did not become a message."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.message import Cost, Usage


class Fate(StrEnum):
    """What became of the call instead."""

    # The model had nothing to say.
    EMPTY = "empty"
    REFUSED = "refused"
    # It reached its output limit before it answered.
    CUT_OFF = "cut_off"
    # It broke off after it had begun.
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    # The reply was whole, and the chat had moved on.
    DISCARDED = "discarded"


class Charge(Struct, frozen=True, kw_only=True):
    """One call. An attempt on a history makes one, so the two name it."""

    history: int
    attempt: int
    model: str
    # What it was for: a reply or a summary.
    operation: str
    fate: Fate
    # As far as the provider has said it.
    usage: Usage | None = None
    cost: Cost | None = None
