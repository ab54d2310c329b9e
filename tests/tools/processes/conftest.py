from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.clock import MovedClock
from tests.tools.processes.desk import Desk
from tests.workspaces.local.world import a_world


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_world(tmp_path, SandboxMode.AUTO) as world:
        yield Desk(world)


@pytest.fixture
async def timed(tmp_path: Path, clock: MovedClock) -> AsyncIterator[Desk]:
    """As `desk`, by a clock that stands still."""
    async with a_world(tmp_path, SandboxMode.AUTO, clock=clock) as world:
        yield Desk(world, clock)
