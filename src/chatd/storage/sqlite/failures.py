"""What an error of SQLite means: from its result code to what the operator is told.

The disk, the file or another program is in the way, so no transaction is possible until that changes:
Unavailable. Everything else is a mistake of ours, and stays as it is.
"""

import sqlite3
from collections.abc import Mapping

from chatd.errors import Unavailable

# What a damaged file needs, however it was noticed.
DAMAGED = "its integrity is broken. Stop the server, run `chatd doctor`, and restore a backup"

# By primary code: the extended ones, such as SQLITE_IOERR_WRITE, only say where exactly.
FAILURES: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "the disk is full. Make room on it",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written. Look at the system's log and at its quotas",
    sqlite3.SQLITE_READONLY: "its file or its disk is read-only. Let this user write to it",
    sqlite3.SQLITE_PERM: "its file may not be used by this user. Change its owner or its mode",
    sqlite3.SQLITE_CANTOPEN: "its files cannot be opened. Look whether their directory is still there",
    sqlite3.SQLITE_BUSY: "another program keeps it locked. End that program's transaction",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked. End that program's transaction",
    sqlite3.SQLITE_PROTOCOL: "another program keeps it locked. End that program's transaction",
    sqlite3.SQLITE_NOMEM: "the machine has no memory left",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}

PRIMARY_CODE = 0xFF


class SqliteUnavailable(Unavailable):
    """`kind` is the name that SQLite's documentation has for it."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(f"The database cannot be used at the moment: {words} ({kind}).")
        self.kind = kind


def words_at_opening(error: sqlite3.Error) -> str:
    """A file that never was a database is more likely then than one that is none any more."""
    code = _primary_code(error)
    if code in FAILURES and code != sqlite3.SQLITE_NOTADB:
        return f"{FAILURES[code]} ({error.sqlite_errorname})."
    return f"{error}. Is it a chatd database, on a local disk?"


def explained(error: BaseException) -> BaseException:
    """SqliteUnavailable for what the table has, and else the error itself."""
    if not isinstance(error, sqlite3.Error) or (words := FAILURES.get(_primary_code(error))) is None:
        return error
    unavailable = SqliteUnavailable(error.sqlite_errorname, words)
    unavailable.__cause__ = error
    return unavailable


def _primary_code(error: sqlite3.Error) -> int:
    # What the module itself complains about has no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & PRIMARY_CODE
