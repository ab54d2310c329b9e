from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.workspaces.local.world import World, a_world


@pytest.fixture(params=[SandboxMode.REQUIRE, SandboxMode.OFF], ids=["sandbox", "limits"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Every test that asks for it runs in a sandbox and without one."""
    async with a_world(tmp_path, request.param) as made:
        yield made
