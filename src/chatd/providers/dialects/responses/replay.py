"""Which of the items that a model once produced may go back to it (pure).

OpenAI keeps a reasoning item and the item that it led to together: it refuses reasoning that stands alone,
and a search of its own whose reasoning is missing. What cannot go back as a whole does not go back at all.
Calls and outputs are another matter: they have to be pairs, and nothing here could mend them.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from chatd.domain.part import Json
from chatd.providers import failures


class Bond(StrEnum):
    """What an item needs beside it."""

    NONE = "none"
    # Reasoning: directly behind it, an item that came directly behind it when it was produced.
    NEEDS_NEXT = "needs next"
    # A search and its like: directly before it, the item that it came behind.
    NEEDS_PREVIOUS = "needs previous"


class Candidate(Struct, frozen=True):
    item: dict[str, Json]
    bond: Bond = Bond.NONE
    # As the provider named the item, and the one that led to it. Empty: unknown, or not needed.
    id: str = ""
    after: str = ""


def settled(candidates: Sequence[Candidate]) -> list[dict[str, Json]]:
    """The items that may go. Leaving one out can make its neighbours unfit, so this goes on until all fit."""
    kept = list(candidates)
    while True:
        fitting = [each for place, each in enumerate(kept) if _fits(kept, place)]
        if len(fitting) == len(kept):
            return [each.item for each in kept]
        kept = fitting


def _fits(candidates: Sequence[Candidate], place: int) -> bool:
    candidate = candidates[place]
    if candidate.bond is Bond.NONE:
        return True
    if candidate.bond is Bond.NEEDS_PREVIOUS:
        return place > 0 and candidate.after != "" and candidates[place - 1].id == candidate.after
    return place + 1 < len(candidates) and candidates[place + 1].after == candidate.id != ""


_CALLS = frozenset({"function_call", "computer_call"})
_OUTPUTS = frozenset({"function_call_output", "computer_call_output"})


def check_pairs(items: Sequence[dict[str, Json]], *, chained: bool) -> None:
    """Every call has one later output, and every output an earlier call. Raises ProviderError.

    `chained` says that the calls are in an answer that the provider has kept.
    """
    open_calls: set[str] = set()
    called: set[str] = set()
    answered: set[str] = set()
    for item in items:
        kind, call_id = item["type"], item.get("call_id", "")
        if kind in _CALLS:
            if call_id in called:
                raise failures.unsendable(f"two calls have the id {call_id}")
            called.add(call_id)
            open_calls.add(call_id)
        elif kind in _OUTPUTS:
            if call_id in answered:
                raise failures.unsendable(f"the call {call_id} has two outputs")
            if call_id not in called and not chained:
                raise failures.unsendable(f"an output answers {call_id}, and no call before it has that id")
            answered.add(call_id)
            open_calls.discard(call_id)
    if open_calls:
        raise failures.unsendable(f"calls have no output: {', '.join(sorted(open_calls))}")
