"""A thousand stories, none of which breaks a promise.

A failing seed is printed; `make simulate ARGS="--seed N"` plays it again, exactly. With `--shrink` the
shortest story is told that breaks the same promise.
"""

import pytest

from tests.simulation.checks.check import check_promises
from tests.simulation.playing import played
from tests.simulation.shrink import failure_of, shrunk, told
from tests.simulation.world import World

SEEDS = 1000
BATCH = 25


def play(seed: int) -> World:
    async def story() -> World:
        world = World(seed)
        check_promises(world, await world.run())
        return world

    return played(story, seed=seed, note=f"seed {seed}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each batch of the seeds that were asked for."""
    if "seeds" in metafunc.fixturenames:
        # The options are known only when this folder is named on the command line.
        one = metafunc.config.getoption("--seed", default=None)
        several = metafunc.config.getoption("--seeds", default=None) or range(SEEDS)
        chosen = several if one is None else range(one, one + 1)
        batches = [chosen[first : first + BATCH] for first in range(0, len(chosen), BATCH)]
        metafunc.parametrize("seeds", batches, ids=str)


def test_no_promise_is_broken_whatever_goes_wrong(seeds: range, request: pytest.FixtureRequest) -> None:
    is_shrunk = request.config.getoption("--shrink", default=False)
    for seed in seeds:
        if is_shrunk and (failure := failure_of(seed)) is not None:
            pytest.fail(told(shrunk(seed, failure)), pytrace=False)
        play(seed)
