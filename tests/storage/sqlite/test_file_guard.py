"""A database file that goes away under a running server: nothing is accepted that would be gone with it."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from chatd.errors import Unavailable
from chatd.storage.database import Database
from chatd.storage.sqlite.database import SQLite, _connect
from chatd.storage.sqlite.file_guard import LOOK_SECONDS, FileGuard
from tests.clock import MovedClock


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def path(sqlite_template: Path, tmp_path: Path) -> Path:
    shutil.copy(sqlite_template, tmp_path / "chatd.db")
    return tmp_path / "chatd.db"


@pytest.fixture
async def db(path: Path, clock: MovedClock, seconds: Seconds) -> AsyncIterator[Database]:
    writer, reader = [_connect(path, clock.now_micros) for _ in range(2)]
    db = SQLite(writer, [reader], guard=FileGuard(path, seconds))
    yield db
    await db.close()


async def add(db: Database, name: str) -> None:
    await db.write(lambda tx: tx.run("insert_user", name, name, "member"))


async def test_a_file_that_was_removed_is_noticed_and_logged_once(
    db: Database, path: Path, seconds: Seconds
) -> None:
    await add(db, "before")
    path.unlink()
    seconds.now += LOOK_SECONDS

    with capture_logs() as logs:
        for name in ("a", "b", "c"):
            with pytest.raises(Unavailable, match=r"its file .*chatd\.db was removed or replaced"):
                await add(db, name)

    assert [(line["event"], line["log_level"]) for line in logs] == [("database.unavailable", "error")]
    # What is there can still be read, and so be saved.
    assert await db.read(lambda tx: tx.one("user_named", "before")) is not None


async def test_a_file_that_was_replaced_is_noticed(
    db: Database, path: Path, seconds: Seconds, sqlite_template: Path
) -> None:
    path.rename(path.with_name("old.db"))
    shutil.copy(sqlite_template, path)
    seconds.now += LOOK_SECONDS

    with pytest.raises(Unavailable, match="restart the server to use what is there now"):
        await add(db, "u")


async def test_a_file_that_is_put_back_is_used_again(db: Database, path: Path, seconds: Seconds) -> None:
    path.rename(path.with_name("away.db"))
    seconds.now += LOOK_SECONDS
    with pytest.raises(Unavailable):
        await add(db, "u")

    path.with_name("away.db").rename(path)

    await add(db, "u")
    assert await db.read(lambda tx: tx.one("user_named", "u")) is not None


async def test_a_file_that_was_replaced_keeps_its_own_log_when_the_server_ends(
    sqlite_template: Path, path: Path, clock: MovedClock
) -> None:
    """SQLite removes the log of a database that it closes, by its name; not when the file is another one."""
    writer = _connect(path, clock.now_micros)
    mine = SQLite(writer, [], guard=FileGuard(path))
    await add(mine, "mine")
    for file in (path, path.with_name("chatd.db-wal"), path.with_name("chatd.db-shm")):
        file.unlink()
    shutil.copy(sqlite_template, path)
    theirs = SQLite(_connect(path, clock.now_micros), [_connect(path, clock.now_micros)])
    await add(theirs, "theirs")

    await mine.close()

    await add(theirs, "later")
    await theirs.close()
    again = SQLite(_connect(path, clock.now_micros), [_connect(path, clock.now_micros)])
    assert await again.read(lambda tx: tx.one("user_named", "theirs")) is not None
    assert await again.read(lambda tx: tx.one("user_named", "later")) is not None
    await again.close()
