"""A disk that is full or read-only, a file that is damaged: Unavailable, logged once, until it is over."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from chatd.errors import Unavailable
from chatd.storage.health.outage import SILENCE_SECONDS, Outage
from chatd.storage.sqlite.database import open_sqlite
from chatd.storage.sqlite.failures import explained
from tests.clock import MovedClock
from tests.storage.sqlite.kept import MUCH, Kept, kept_in


@pytest.fixture
async def kept(sqlite_template: Path, tmp_path: Path, clock: MovedClock) -> AsyncIterator[Kept]:
    async with kept_in(sqlite_template, tmp_path / "chatd.db", clock) as kept:
        yield kept


async def test_a_full_disk_is_unavailable_until_there_is_room(kept: Kept) -> None:
    kept.fill()

    with pytest.raises(Unavailable, match=r"the disk is full\. Make room on it \(SQLITE_FULL\)"):
        await kept.add(MUCH)
    assert not await kept.has(MUCH)

    kept.make_room()
    await kept.add(MUCH)
    assert await kept.has(MUCH)


async def test_a_read_only_disk_is_unavailable_until_it_can_be_written(kept: Kept) -> None:
    kept.refuse_writes()

    with pytest.raises(Unavailable, match="read-only"):
        await kept.add("u")
    assert not await kept.has("u")

    kept.accept_writes()
    await kept.add("u")
    assert await kept.has("u")


async def test_a_database_that_another_program_keeps_locked_is_unavailable(
    kept: Kept, tmp_path: Path
) -> None:
    kept.writer.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(tmp_path / "chatd.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(Unavailable, match="another program keeps it locked"):
            await kept.add("u")
    finally:
        other.close()

    await kept.add("u")


async def test_a_damaged_file_names_its_integrity(
    sqlite_template: Path, tmp_path: Path, clock: MovedClock
) -> None:
    path = tmp_path / "chatd.db"
    shutil.copy(sqlite_template, path)
    raw = sqlite3.connect(path)
    (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'migrations'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    async with open_sqlite(path, now_micros=clock.now_micros) as db:
        with pytest.raises(Unavailable, match=r"its integrity is broken\. .*`chatd doctor`"):
            await db.read(lambda tx: tx.all("applied_migrations"))


async def test_many_failures_are_one_line_and_their_end_is_another(kept: Kept) -> None:
    kept.fill()

    with capture_logs() as logs:
        for _ in range(20):
            with pytest.raises(Unavailable):
                await kept.add(MUCH)
        kept.make_room()
        await kept.add(MUCH)
        await kept.add("next")

    assert [(line["event"], line["log_level"]) for line in logs] == [
        ("database.unavailable", "error"),
        ("database.available", "info"),
    ]
    assert (logs[0]["kind"], logs[1]["failures"]) == ("SQLITE_FULL", 20)


def test_a_database_that_fails_now_and_then_is_announced_once_in_a_while() -> None:
    now = 0.0
    outage = Outage(lambda: now)

    with capture_logs() as logs:
        for _ in range(10):
            outage.note_failure("SQLITE_FULL", "full", level=40)
            outage.note_success()
        outage.note_failure("SQLITE_IOERR", "broken", level=40)
        outage.note_success()
        now += SILENCE_SECONDS
        outage.note_failure("SQLITE_FULL", "full", level=40)

    assert [(line["event"], line.get("kind")) for line in logs] == [
        ("database.unavailable", "SQLITE_FULL"),
        ("database.available", None),
        ("database.unavailable", "SQLITE_IOERR"),
        ("database.available", None),
        ("database.unavailable", "SQLITE_FULL"),
    ]


def test_a_mistake_of_ours_stays_one() -> None:
    raw = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError) as mistake:
        raw.execute("SELECT nothing FROM nowhere")
    raw.close()

    for error in (mistake.value, sqlite3.IntegrityError("no code"), MemoryError()):
        assert explained(error) is error


FILES_THAT_MAY_NOT_GROW = """
import asyncio, resource, sys, threading
from pathlib import Path
from chatd.errors import Unavailable
from chatd.storage.sqlite.database import open_sqlite

def may_grow_to(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main(path, characters):
    async with open_sqlite(path, now_micros=lambda: 0) as db:
        begun, together = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        async def keep_the_writer(tx):
            loop.call_soon_threadsafe(begun.set)
            together.wait()

        async def add(name):
            try:
                await db.write(lambda tx: tx.run("insert_user", name, name, "member"))
            except Unavailable:
                return "unavailable"
            return "added"

        first = asyncio.create_task(db.write(keep_the_writer))
        await begun.wait()
        # What comes meanwhile is committed together.
        names = ["before", "x" * characters, "after"]
        adding = [asyncio.create_task(add(name)) for name in names]
        await asyncio.sleep(0)
        may_grow_to(path.stat().st_size)
        together.set()
        await first
        print(*[await each for each in adding])
        may_grow_to(resource.RLIM_INFINITY)
        print(*[await add(name) for name in names])

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.mark.parametrize("characters", [1_000_000, 4_000_000], ids=["at_the_commit", "before_the_commit"])
def test_a_file_that_may_not_grow_is_unavailable_to_all_who_share_the_commit(
    sqlite_template: Path, tmp_path: Path, characters: int
) -> None:
    """The system refuses. What does not fit into SQLite's cache is refused before the commit already, and
    then SQLite undoes the whole transaction, and not only the part that failed.
    """
    path = tmp_path / "chatd.db"
    shutil.copy(sqlite_template, path)
    arguments = [sys.executable, "-c", FILES_THAT_MAY_NOT_GROW, str(path), str(characters)]

    run = subprocess.run(arguments, capture_output=True, text=True, check=True)

    outcomes = [line for line in run.stdout.splitlines() if "database." not in line]
    assert outcomes == ["unavailable unavailable unavailable", "added added added"]
