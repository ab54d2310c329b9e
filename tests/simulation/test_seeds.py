"""A thousand stories, none of which breaks a promise.

A failing seed is printed; `pytest tests/simulation --seed N` tells its story again, exactly.
"""

import pytest

from tests.simulation.check import check_promises
from tests.simulation.world import World
from tests.virtual import run_virtually

SEEDS = 1000
BATCH = 25


def play(seed: int) -> World:
    async def story() -> World:
        world = World(seed)
        check_promises(world, await world.run())
        return world

    try:
        return run_virtually(story(), seed=seed)
    except BaseException as error:
        error.add_note(f"seed {seed}")
        raise


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_no_promise_is_broken_whatever_goes_wrong(first: int) -> None:
    for seed in range(first, first + BATCH):
        play(seed)
