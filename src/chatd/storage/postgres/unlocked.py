"""A message is added to a chat without a lock: read the chat, decide, write in one statement.

The statement writes nothing if the row is not the one that was read: PostgreSQL gives every version of a row
the number of the transaction that made it, `xmin`. Whoever changes anything of a chat writes its row, so what
was decided is what would have been decided under the lock. That takes two round trips instead of four, and
locks nothing while we think. If the row has changed, or more is to be read or written, the transaction
begins anew in the usual way.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import asyncpg

from chatd.storage.database import Row
from chatd.storage.postgres.arguments import count_of_arguments, shifted

if TYPE_CHECKING:
    from chatd.storage.postgres.connections import RawConnection

# Of an insert: its values, and what it does about a row that is there already.
_VALUES = re.compile(r"\bVALUES \(([^()]*)\).*$", re.DOTALL)


# By these names they are among the queries. Those that read are named after the one that locks.
READ = {name: f"{name}_and_xmin" for name in ("lock_chat", "lock_known_chat")}
WRITE = "add_message_unless_moved"
WRITE_WITH_KEY = "add_message_with_key_unless_moved"


def unlocked_queries(queries: Mapping[str, str]) -> Mapping[str, str]:
    """Made of those that run under the lock."""
    return {
        **{READ[name]: _read(queries[name]) for name in READ},
        WRITE: _write(queries, "insert_message"),
        WRITE_WITH_KEY: _write(queries, "insert_message", "insert_message_key"),
    }


class NeedsLock(Exception):
    """Nothing was written. It has to be done under the lock."""


class Unlocked:
    """A connection for one body that locks a chat, inserts a message, perhaps with a key, and saves both."""

    def __init__(self, raw: "RawConnection", queries: Mapping[str, str]) -> None:
        self._raw = raw
        self._queries = queries
        self._xmin = 0
        self._message: Sequence[object] | None = None
        self._key: Sequence[object] = ()

    async def one(self, query: str, *args: object) -> Row | None:
        if query not in READ:
            raise NeedsLock
        row = await self._raw.fetchrow(self._queries[READ[query]], *args)
        if row is None:
            return None
        self._xmin, *columns = row
        return columns

    async def all(self, query: str, *args: object) -> Sequence[Row]:
        if query != "insert_message_key":
            raise NeedsLock
        # If it is taken, the statement fails as a whole.
        self._key = args
        return [args]

    async def run(self, query: str, *args: object) -> None:
        if query != "save_chat" or self._message is None:
            raise NeedsLock
        write = WRITE_WITH_KEY if self._key else WRITE
        try:
            saved = await self._raw.fetch(self._queries[write], *args, self._xmin, *self._message, *self._key)
        except asyncpg.UniqueViolationError:
            saved = []
        if not saved:
            raise NeedsLock

    async def run_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        if query != "insert_message" or len(rows) != 1 or self._message is not None:
            raise NeedsLock
        self._message = rows[0]

    async def script(self, sql: str) -> None:  # noqa: ARG002
        raise NeedsLock


def _read(locking: str) -> str:
    """The same without the lock, and with the number of the row's version in front."""
    without_lock = re.sub(r"\s+FOR UPDATE\s*$", "", locking)
    return re.sub(r"^SELECT ", "SELECT c.xmin, ", without_lock, count=1, flags=re.MULTILINE)


def _write(queries: Mapping[str, str], *inserts: str) -> str:
    """The arguments: those of the chat's row, its `xmin`, and those of each insert."""
    save = queries["save_chat"]
    count = count_of_arguments(save) + 1
    parts = [f"saved AS (\n{save} AND xmin = ${count}\nRETURNING id)"]
    for name in inserts:
        parts.append(f"{name} AS (\n{_only_if_saved(queries[name], count)})")
        count += count_of_arguments(queries[name])
    return "WITH " + ",\n".join(parts) + "\nSELECT id FROM saved"


def _only_if_saved(insert: str, count: int) -> str:
    """Its arguments come after so many others."""
    return _VALUES.sub(r"SELECT \1 FROM saved", shifted(insert, count))
