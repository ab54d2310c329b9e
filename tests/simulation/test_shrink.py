"""A seed that fails is told as a short story, which fails in the same way."""

import pytest

from chatd.agent.hold.hold import Hold
from chatd.domain.transitions.calls.finish_call import FinishCall
from tests.simulation.chaos import WHOLE
from tests.simulation.shrink import failure_of, shrunk, told

SEEDS_MAX = 200


def test_a_seed_that_fails_is_told_as_a_short_story(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forgetful(self: Hold, command: FinishCall) -> None:
        """A result that is not journalled."""

    monkeypatch.setattr(Hold, "keep", forgetful)
    seed, failure = next((seed, found) for seed in range(SEEDS_MAX) if (found := failure_of(seed)))

    short = shrunk(seed, failure)

    assert short.check == failure.check
    assert short.story.deeds < WHOLE.deeds
    assert len(short.world.chaos.struck) < len(failure.world.chaos.struck)
    assert "/interrupt" in told(short)
    again = failure_of(seed, short.story)
    assert again is not None
    assert told(again) == told(short)


def test_a_seed_that_breaks_no_promise_has_no_story_to_tell() -> None:
    assert failure_of(1) is None
