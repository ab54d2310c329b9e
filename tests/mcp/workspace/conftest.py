from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatd.storage.database import Database
from tests.clock import MovedClock
from tests.conftest import empty_sqlite


@pytest.fixture
async def db(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Database]:
    """What is trusted is tried on both databases; the servers do not know which one it is."""
    async with empty_sqlite(sqlite_template, tmp_path / "chatd.db", MovedClock()) as made:
        yield made
