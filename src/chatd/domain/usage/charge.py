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
    # It was made in the middle of a step, by a tool or for a summary, which has its answer.
    USED = "used"


class Charge(Struct, frozen=True, kw_only=True):
    """One call. An attempt on a history makes one, and perhaps others for its tools; the numbers name it."""

    history: int
    attempt: int
    # Counts the charges of this attempt, from 0.
    number: int = 0
    model: str
    # What it was for: a reply, a summary, a tool, or advice.
    operation: str
    fate: Fate
    # As far as the provider has said it.
    usage: Usage | None = None
    cost: Cost | None = None
