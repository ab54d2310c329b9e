"""A seed that fails is told as a short story, which fails in the same way."""

import pytest

from tests.simulation import shrink
from tests.simulation.chaos import WHOLE, Violation
from tests.simulation.shrink import failure_of, shrunk, told, violations_of
from tests.simulation.world import World
from tests.support.virtual import Stuck

SEEDS_MAX = 200
TRIES_MAX = 150


def nobody_interrupts(world: World, *_: object) -> None:
    """A promise that is broken soon, and by few stories only."""
    if any("/interrupt" in words for _, words in world.promises.requests):
        raise Violation("somebody has interrupted")


@pytest.fixture
def broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrink, "check_promises", nobody_interrupts)


@pytest.mark.usefixtures("broken_promise")
def test_a_seed_that_fails_is_told_as_a_short_story() -> None:
    failures = ((seed, failure_of(seed)) for seed in range(SEEDS_MAX))
    seed, failure = next((seed, found) for seed, found in failures if found and found.world.chaos.struck)

    short = shrunk(seed, failure, TRIES_MAX)

    assert short.check == failure.check == nobody_interrupts.__name__
    assert short.story.deeds < WHOLE.deeds
    assert len(short.world.chaos.struck) < len(failure.world.chaos.struck)
    assert "/interrupt" in told(short)
    again = failure_of(seed, short.story)
    assert again is not None
    assert told(again) == told(short)


def test_a_seed_that_breaks_no_promise_has_no_story_to_tell() -> None:
    assert failure_of(1) is None


def test_a_story_that_does_not_end_is_a_violation_with_a_name() -> None:
    (violation,) = violations_of(Stuck("something is done again and again"))

    assert shrink.check_of(violation) == "the_story_ends"
