"""Where each chat was at every moment, written down after each commit, from the rows themselves."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from chatd.domain.ids import ChatId
from chatd.storage.database import Body, Pace
from chatd.storage.queries import SqlEngine, queries_for
from chatd.storage.sqlite.connection import SQLiteConnection, run_through

T = TypeVar("T")

_LOOK = """
SELECT c.snapshot_version, c.history_version, c.attempt, c.status, c.branch, c.worker_id,
       (SELECT MAX(m.id) FROM messages m WHERE m.chat_id = c.id AND NOT m.deleted)
  FROM chats c
 WHERE c.id = ?
"""


# Chats that no worker can read have no chronicle.
UNREADABLE = "unreadable"
# Told by a trigger: to look at all chats after each transaction would take longer than most transactions.
WATCH = """
CREATE TEMP TRIGGER watch_new AFTER INSERT ON chats BEGIN SELECT chatd_chat_changed(NEW.id); END;
CREATE TEMP TRIGGER watch_changed AFTER UPDATE OF snapshot_version ON chats
    BEGIN SELECT chatd_chat_changed(NEW.id); END;
"""
# Of the transaction that is under way, in this order. One for all stories, as there is one database for all.
_changed: dict[ChatId, None] = {}


def note_change(chat_id: str) -> None:
    """The function that the triggers call."""
    if not chat_id.startswith(UNREADABLE):
        _changed[ChatId(chat_id)] = None


class State(NamedTuple):
    # How many there were before it, of all chats. Much happens at the same moment.
    place: int
    at: float
    snapshot: int
    history: int
    attempt: int
    status: str
    branch: int
    # Whose lease it is: the name of a process.
    worker: str | None
    # The id of the last message of the history.
    newest: int

    @property
    def speaking(self) -> bool:
        return self.status in ("running", "interrupting")


class Chronicle:
    def __init__(self, raw: sqlite3.Connection, meet: Callable[[ChatId], None]) -> None:
        self._raw = raw
        _changed.clear()
        # Told of each chat when it has come into being.
        self._meet = meet
        self.of_chat: dict[ChatId, list[State]] = {}
        self.length = 0

    def look(self) -> None:
        """What has changed is committed."""
        if not _changed:
            return
        now = asyncio.get_running_loop().time()
        for chat_id in _changed:
            past = self.of_chat.get(chat_id)
            facts = self._raw.execute(_LOOK, (chat_id,)).fetchone()
            self.of_chat.setdefault(chat_id, []).append(State(self.length, now, *facts))
            self.length += 1
            if past is None:
                self._meet(chat_id)
        _changed.clear()

    def look_away(self) -> None:
        """What has changed was undone."""
        _changed.clear()

    def at(self, chat_id: ChatId, moment: float) -> State:
        """Where the chat was then: what had been committed up to that moment."""
        return [state for state in self.of_chat[chat_id] if state.at <= moment][-1]

    def attempted(self, chat_id: ChatId, process: str, number: int, *, before: int) -> State:
        """Where the chat was when this process counted an attempt that it began to make then.

        The history may have moved since; what is said still belongs to the one that was attempted.
        """
        return [
            state
            for state in self.of_chat[chat_id]
            if state.worker == process and state.attempt == number and state.place < before
        ][-1]


class RecordedSQLite:
    """The one database of all processes; what is written to it enters the chronicle."""

    engine = SqlEngine.SQLITE

    def __init__(self, raw: sqlite3.Connection, chronicle: Chronicle) -> None:
        self.raw = raw
        self._connection = SQLiteConnection(raw, queries_for(self.engine))
        self.chronicle = chronicle

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        raw = self.raw
        raw.execute("BEGIN IMMEDIATE")
        try:
            result = run_through(body(self._connection))
        except BaseException:
            raw.execute("ROLLBACK")
            self.chronicle.look_away()
            raise
        raw.execute("COMMIT")
        self.chronicle.look()
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        """Nobody else runs meanwhile, so it needs no transaction to see one state of everything."""
        changes = self.raw.total_changes
        result = run_through(body(self._connection))
        assert self.raw.total_changes == changes, "something was written by who only reads"
        return result
