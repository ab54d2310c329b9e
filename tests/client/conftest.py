"""A store of its own for each test. What the client says is the same on both databases."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.conftest import empty_sqlite


@pytest.fixture
async def store(
    sqlite_template: Path, tmp_path: Path, bus: MemoryBus, clock: MovedClock
) -> AsyncIterator[Store]:
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", clock) as db:
        yield Store(db, bus)
