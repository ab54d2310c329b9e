"""A story that never ends is told apart from others, and leaves nothing behind."""

import asyncio

import pytest

from tests.simulation.playing import played
from tests.support.virtual import Stuck


def test_a_story_that_spins_is_ended_and_has_cleaned_up_by_then() -> None:
    left: list[str] = []

    async def spin() -> None:
        try:
            while True:  # noqa: ASYNC110 - nothing is waited for, that is the point
                await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0)
            left.append("in order")

    with pytest.raises(Stuck) as stuck:
        played(spin, seed=1, note="seed 1")

    assert stuck.value.__notes__ == ["seed 1"]
    assert left == ["in order"]
