import shutil
import sqlite3
from pathlib import Path

import pytest

from chatd.storage.health import integrity
from chatd.storage.health.integrity import Integrity, check_postgres, check_sqlite
from chatd.storage.postgres.database import open_postgres


@pytest.fixture
def path(sqlite_template: Path, tmp_path: Path) -> Path:
    shutil.copy(sqlite_template, tmp_path / "chatd.db")
    return tmp_path / "chatd.db"


async def test_a_whole_database_is_whole(path: Path, postgres_url: str) -> None:
    assert await check_sqlite(path) == Integrity()
    async with open_postgres(postgres_url) as db:
        assert await check_postgres(db) == Integrity()


async def test_a_page_that_was_overwritten_is_a_problem(path: Path) -> None:
    raw = sqlite3.connect(path)
    (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'users'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    found = await check_sqlite(path)

    assert found.problems
    assert found.is_finished


async def test_a_reference_to_nothing_is_a_problem(path: Path) -> None:
    raw = sqlite3.connect(path)
    raw.execute(
        "INSERT INTO tokens (id, hash, user_id, name, shown, scopes, created_at)"
        " VALUES ('t', 'h', 'nobody', 'n', '', '', 0)"
    )
    raw.commit()
    raw.close()

    (problem,) = (await check_sqlite(path)).problems

    assert problem.endswith("of table tokens refers to a row of users that is not there")


async def test_a_database_that_is_too_large_is_not_looked_at_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(integrity, "STEPS_BETWEEN_LOOKS", 1)
    monkeypatch.setattr(integrity, "TOLD_AFTER_SECONDS", 0.0)
    told: list[str] = []

    found = await check_sqlite(path, lambda: told.append("still checking"))

    assert found == Integrity(is_finished=False)
    assert told == ["still checking"]


async def test_what_postgres_knows_of_its_own_damage_is_told(postgres_url: str) -> None:
    async with open_postgres(postgres_url) as db:
        await db.write(lambda tx: tx.script("ALTER TABLE users ADD CONSTRAINT odd CHECK (true) NOT VALID"))
        try:
            found = await check_postgres(db)
        finally:
            await db.write(lambda tx: tx.script("ALTER TABLE users DROP CONSTRAINT odd"))

    assert found == Integrity(("the constraint odd of users was never checked",))
