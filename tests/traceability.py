"""Which test proves which behaviour of the specifications.

A test says `@proves("state-machine", 14)`. `tools/generate.py` draws docs/traceability from
these marks, and a house test fails when a behaviour has neither a test nor a reason.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., object])

# How many behaviours each specification asks for.
BEHAVIOURS: Mapping[str, int] = {"state-machine": 66}

# Those that the design replaces by something better, with what is proven instead.
SUPERSEDED: Mapping[tuple[str, int], str] = {
    ("state-machine", 32): (
        "Finishing an interruption answers every open call itself and cannot be refused: "
        "test_finishing_an_interruption_answers_every_open_call_itself."
    ),
    ("state-machine", 54): (
        "There are no triggers. Revisions and versions are given out by one module, and only "
        "one door writes: tests/house/test_one_door.py."
    ),
    ("state-machine", 59): (
        "A retry payload is a typed value; there is no way to spell an empty or malformed one."
    ),
}


def proves(specification: str, *numbers: int) -> Callable[[Test], Test]:
    """Mark a test as the proof of these behaviours. Does nothing when the test runs."""
    assert all(1 <= number <= BEHAVIOURS[specification] for number in numbers)
    return lambda test: test
