"""A short chaos: every kind of disturbance once. `make chaos` is the long one."""

from itertools import islice
from pathlib import Path

import pytest

from tests.chaos.plan import Kind, endless_plan
from tests.chaos.run import Chaos
from tools.postgres import crashing_postgres

# Its first seven disturbances begin with a stop and with hints that are cut everywhere until the end, and end
# with those that wait for a lease: so that what takes long takes long at the same time.
SEED = 2383595


@pytest.mark.timeout(600)
async def test_whatever_is_killed_paused_or_cut_nothing_is_lost_stuck_or_doubled(tmp_path: Path) -> None:
    # Durable, or a crash of the database would lose commits that it has acknowledged.
    with crashing_postgres(durable=True) as postgres:
        print(await Chaos(SEED, tmp_path, postgres).run(islice(endless_plan(SEED), len(Kind))))  # noqa: T201
