"""A thousand stories, none of which breaks a promise.

A failing seed is printed; `pytest tests/simulation -k promise --seed N` tells its story again, exactly.
"""

import warnings

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
        with warnings.catch_warnings():
            # A process that is killed leaves behind what it was about to begin.
            warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
            return run_virtually(story(), seed=seed)
    except BaseException as error:
        error.add_note(f"seed {seed}")
        raise


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each batch; or one for the seed that was asked for."""
    if "seeds" in metafunc.fixturenames:
        # The option is known only when this folder is named on the command line.
        chosen = metafunc.config.getoption("--seed", default=None)
        batches = [range(first, first + BATCH) for first in range(0, SEEDS, BATCH)]
        metafunc.parametrize("seeds", batches if chosen is None else [range(chosen, chosen + 1)], ids=str)


def test_no_promise_is_broken_whatever_goes_wrong(seeds: range) -> None:
    for seed in seeds:
        play(seed)
