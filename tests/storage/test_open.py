import stat
from pathlib import Path

import pytest

from chatd.errors import Misconfigured, Unusable
from chatd.kit.clock import SystemClock
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database, open_existing, sqlite_path
from chatd.storage.queries import SqlEngine


@pytest.mark.parametrize(
    "url",
    ["", "chatd.db", "/data/chatd.db", "mysql://host/name", "sqlite://", "sqlite:///", "sqlite:///:memory:"],
)
async def test_an_address_that_is_none_of_ours_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured, match="neither sqlite:///path"):
        async with open_database(url, SystemClock()):
            pass


def test_a_path_may_be_relative_or_absolute() -> None:
    assert sqlite_path("sqlite:///data/chatd.db") == Path("data/chatd.db")
    assert sqlite_path("sqlite:////data/chatd.db") == Path("/data/chatd.db")
    assert sqlite_path("postgresql://host/name") is None


async def test_a_new_sqlite_database_is_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    async with open_database(f"sqlite:///{tmp_path}/chatd.db", SystemClock()) as db:
        await migrate(db)
        modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    assert (db.engine, modes) == (SqlEngine.SQLITE, {0o600})


async def test_postgres_is_opened_by_its_address(postgres_url: str) -> None:
    async with open_database(postgres_url, SystemClock()) as db:
        assert db.engine is SqlEngine.POSTGRES


async def test_a_database_in_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="Cannot write the database"):
        async with open_database(f"sqlite:///{tmp_path}/gone/chatd.db", SystemClock()):
            pass


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chatd.db").write_text("Dear diary, " * 100)

    with pytest.raises(Unusable, match="Cannot open the database"):
        async with open_database(f"sqlite:///{tmp_path}/chatd.db", SystemClock()):
            pass


async def test_looking_makes_no_database(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="There is no database"):
        async with open_existing(f"sqlite:///{tmp_path}/chatd.db", SystemClock()):
            pass

    assert list(tmp_path.iterdir()) == []
