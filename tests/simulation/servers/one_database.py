"""The database of one story after the other, on one connection.

To migrate it takes as long as a tenth of a story, and to prepare its statements anew a twentieth.
"""

import sqlite3
from functools import cache
from graphlib import TopologicalSorter

from chatd.domain.approvals.rule import AddRule, KeptRule
from chatd.domain.ids import Micros
from chatd.storage.migrate import migrate
from chatd.storage.tables.rules import save_user_rules
from tests.simulation.guarded import OF_USER
from tests.simulation.servers.http import TOKEN_HASH
from tests.simulation.witnesses.chronicle import WATCH, RecordedSQLite, note_change
from tests.support.virtual import VirtualClock
from tests.words import OWNER

# More than there are queries: the usual number is smaller.
STATEMENTS_MAX = 1000
# Its tables are those of an index that the stories do not write.
SEARCH_INDEX = "search_words%"
MIGRATIONS = "migrations"

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> ? AND name NOT LIKE ?"


@cache
def _connection() -> sqlite3.Connection:
    raw = sqlite3.connect(
        ":memory:", isolation_level=None, check_same_thread=False, cached_statements=STATEMENTS_MAX
    )
    # It looks for the clock of the story that is being told: another function would cost all statements.
    # Within a statement it does not move, so SQLite asks once for each and not once for each row.
    raw.create_function("chatd_now", 0, VirtualClock().now_micros, deterministic=True)
    raw.create_function("chatd_chat_changed", 1, note_change)
    raw.execute("PRAGMA foreign_keys = ON")
    return raw


def emptied_database() -> sqlite3.Connection:
    """Without a row but those of its migrations. The story before is over."""
    raw = _connection()
    if raw.in_transaction:
        raw.execute("ROLLBACK")
    tables = [name for (name,) in raw.execute(_TABLES, (MIGRATIONS, SEARCH_INDEX)).fetchall()]
    # What refers to others goes first. To switch the checks off would have all statements prepared anew.
    for table in _in_order(raw, tuple(tables)):
        raw.execute(f'DELETE FROM "{table}"')  # noqa: S608 - its name is from the schema
    return raw


@cache
def _in_order(raw: sqlite3.Connection, tables: tuple[str, ...]) -> tuple[str, ...]:
    """Each before those that it refers to."""
    # A table may refer to itself: its rows go with one statement, and are checked when it ends.
    referred = {
        table: {row[2] for row in raw.execute(f'PRAGMA foreign_key_list("{table}")')} - {table}
        for table in tables
    }
    return tuple(reversed(list(TopologicalSorter(referred).static_order())))


async def fill_database(db: RecordedSQLite) -> None:
    """A user with a token and a rule. Migrated with the first story."""
    if db.raw.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (MIGRATIONS,)).fetchone() is None:
        await migrate(db)
        db.raw.executescript(WATCH)
    await db.write(lambda tx: tx.run("insert_user", OWNER, "owner", "member"))
    await db.write(lambda tx: tx.run("insert_token", TOKEN_HASH, OWNER, "simulation"))
    kept = KeptRule(rule=OF_USER, created_at=Micros(0))
    await save_user_rules(db, OWNER, AddRule(kept=kept))
