"""Limits of people, as tests want them."""

from collections.abc import Mapping

from chatd.domain.people.rates import USUAL_RATES, CallerKind, Rates


def of_people(**per_minute: int) -> Mapping[CallerKind, Rates]:
    """The usual ones for others; for people, these and no other."""
    return {**USUAL_RATES, CallerKind.PERSON: Rates(**per_minute)}


# For tests that ask for more than people do.
NO_RATES = dict.fromkeys(CallerKind, Rates())
