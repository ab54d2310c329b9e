"""Two branches that land at the same time must not have a migration of the same number."""

import pytest

from chatd.storage.migrate import migrations_for
from chatd.storage.queries import SqlEngine


@pytest.mark.parametrize("engine", list(SqlEngine))
def test_migrations_have_numbers_of_their_own_without_a_gap(engine: SqlEngine) -> None:
    numbers = [migration.number for migration in migrations_for(engine)]

    assert numbers == list(range(1, len(numbers) + 1))
