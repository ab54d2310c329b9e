"""A copy of an SQLite database as one file, also while a server writes; and the way back."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from chatd.errors import Unusable
from chatd.kit.ids import new_id
from chatd.storage.migrate import check_known
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.failures import words_at_opening

# Of 4 KiB each: some ten megabytes between two reports.
PAGES_AT_ONCE = 4096
# The database, and what SQLite keeps beside it.
ENDINGS = ("", "-wal", "-shm")
ASIDE = "before-restore"

# Told how many pages are copied, of how many.
Progress = Callable[[int, int], None]


def back_up(database: Path, copy: Path, progress: Progress = lambda _done, _all: None) -> None:
    """Write what the database holds at this moment to a new file, private to its owner.

    The file is there when all of it is, and on the disk. Raises Unusable when it is there already.
    """
    if copy.exists():
        raise Unusable(f"{copy} is there already. Name a file that is not, or remove it first.")
    with _becoming(copy) as fresh:
        _copied(database, fresh, progress)


def restore(copy: Path, database: Path, progress: Progress = lambda _done, _all: None) -> Path | None:
    """Put a copy in the place of the database. What was there is kept beside it: the path, if there was one.

    No server may use the database: the caller holds its lock. Raises Unusable when the copy is damaged, or a
    newer program has written it.
    """
    with _becoming(database) as fresh:
        _copied(copy, fresh, progress)
        check_known(SqlEngine.SQLITE, _migrations_of(fresh))
        return _put_aside(database)


@contextmanager
def _becoming(path: Path) -> Iterator[Path]:
    """A private file that takes the place of `path` when the block ends well, or else is removed."""
    fresh = path.with_name(f".{path.name}.{new_id()}")
    try:
        fresh.touch(mode=0o600, exist_ok=False)
        yield fresh
        _sync(fresh)
        fresh.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise Unusable(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        for ending in (*ENDINGS, "-journal"):
            fresh.with_name(fresh.name + ending).unlink(missing_ok=True)


def _copied(source: Path, target: Path, progress: Progress) -> None:
    if not source.is_file():
        raise Unusable(f"There is no database at {source}.")
    try:
        with closing(sqlite3.connect(source)) as theirs, closing(sqlite3.connect(target)) as ours:
            # As long as this snapshot is held, what others write does not make the copy begin anew.
            theirs.execute("BEGIN")
            theirs.execute("SELECT number FROM migrations")
            theirs.backup(
                ours, pages=PAGES_AT_ONCE, progress=lambda _, left, total: progress(total - left, total)
            )
            # One file, without a log beside it.
            ours.execute("PRAGMA journal_mode = DELETE")
            _check(ours, source)
    except sqlite3.Error as error:
        raise Unusable(f"Cannot copy the database {source}: {words_at_opening(error)}") from error


def _check(raw: sqlite3.Connection, source: Path) -> None:
    (found,) = raw.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise Unusable(f"The database {source} is damaged: {found}. Use another copy of it.")


def _migrations_of(database: Path) -> set[int]:
    with closing(sqlite3.connect(database)) as raw:
        return {number for (number,) in raw.execute("SELECT number FROM migrations")}


def _put_aside(database: Path) -> Path | None:
    """By a second name, with its log: so there is a database at every instant."""
    if not database.exists():
        return None
    aside = next(
        path
        for number in count(1)
        if not (path := database.with_name(f"{database.name}.{ASIDE}-{number}")).exists()
    )
    os.link(database, aside)
    for ending in ENDINGS[1:]:
        beside = database.with_name(database.name + ending)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + ending))
    return aside


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
