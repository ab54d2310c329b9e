"""The tables of an SQLite database that are moved, each after those that it refers to."""

import sqlite3
from graphlib import TopologicalSorter

from msgspec import Struct

# What is made anew where the chats go.
LEFT_BEHIND = {
    "migrations": "the other database has its own",
    "workers": "signs of life of servers that have ended",
    "chores": "which server does them at the moment",
    "search_progress": "without it a server that starts makes the index of words anew",
    "search_documents": "as above",
    "search_words": "as above",
}
# SQLite's own, and those in which it keeps the index of words.
_INTERNAL = ("sqlite_", "search_words_")

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
_COLUMNS = "SELECT name, type FROM pragma_table_info(?) ORDER BY cid"
_REFERENCES = 'SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)'


class Table(Struct, frozen=True, kw_only=True):
    name: str
    columns: tuple[str, ...]
    # The places of columns that hold a truth value: SQLite has numbers for them.
    truths: frozenset[int]

    @property
    def query(self) -> str:
        """All rows, on both databases."""
        columns = ", ".join(f'"{column}"' for column in self.columns)
        return f'SELECT {columns} FROM "{self.name}"'  # noqa: S608 - names of ours


def tables_of(raw: sqlite3.Connection) -> list[Table]:
    named = [name for (name,) in raw.execute(_TABLES) if not name.startswith(_INTERNAL)]
    # A table may refer to itself: its rows are written by one statement, which checks them at its end.
    before = {name: {to for (to,) in raw.execute(_REFERENCES, (name,)) if to != name} for name in named}
    return [_table(raw, name) for name in TopologicalSorter(before).static_order() if name not in LEFT_BEHIND]


def _table(raw: sqlite3.Connection, name: str) -> Table:
    columns = raw.execute(_COLUMNS, (name,)).fetchall()
    return Table(
        name=name,
        columns=tuple(column for column, _ in columns),
        truths=frozenset(place for place, (_, kind) in enumerate(columns) if kind == "BOOLEAN"),
    )
