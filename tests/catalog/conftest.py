from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.catalog.world import ENTITIES, Entity, World, catalogued


@pytest.fixture
async def world(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[World]:
    async with catalogued(sqlite_template, tmp_path) as world:
        yield world


@pytest.fixture(params=ENTITIES, ids=lambda entity: entity.name)
def entity(request: pytest.FixtureRequest) -> Entity:
    """Every test that asks for it runs for everything that is remembered."""
    each: Entity = request.param
    return each
