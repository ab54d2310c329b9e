"""A seed tells the same story each time, in any process."""

import hashlib
import logging
import os
import subprocess
import sys

import structlog

from tests.simulation.test_seeds import play
from tests.simulation.world import World

SEEDS = (1, 2, 3, 5, 8, 13)


def test_a_seed_replays_exactly_in_other_processes() -> None:
    """Words are hashed differently there, and everything is at another place in memory."""
    here = digests()

    assert [elsewhere("1"), elsewhere("2")] == [here, here]


def digests() -> list[str]:
    return [digest(play(seed)) for seed in SEEDS]


def digest(world: World) -> str:
    """Everything that happened: rows, faults, what was said and seen, and when."""
    told = hashlib.sha256("\n".join(world.raw.iterdump()).encode())
    told.update(repr([(each.process, each.started, each.said()) for each in world.witness.attempts]).encode())
    told.update(repr([(held.ended, held.parts) for each in world.viewers for held in each.held]).encode())
    told.update(repr((world.chaos.faults, world.witness.seen)).encode())
    return told.hexdigest()


def elsewhere(hash_seed: str) -> list[str]:
    program = "from tests.simulation.test_replay import print_digests; print_digests()"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return ran.stdout.split()


def print_digests() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sys.stdout.write("\n".join(digests()))
