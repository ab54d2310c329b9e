"""Where each chat was at every moment, written down after each commit, from the rows themselves."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from chatd.domain.ids import ChatId
from chatd.storage.database import Body, Pace
from chatd.storage.queries import SqlEngine
from chatd.storage.sqlite.database import InlineSQLite

T = TypeVar("T")

_LOOK = """
SELECT c.id, c.snapshot_version, c.history_version, c.attempt, c.status, c.branch, c.worker_id,
       (SELECT MAX(m.id) FROM messages m WHERE m.chat_id = c.id AND NOT m.deleted)
  FROM chats c
 WHERE c.id NOT LIKE 'unreadable%'
"""


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
        # Told of each chat when it has come into being.
        self._meet = meet
        self.of_chat: dict[ChatId, list[State]] = {}
        self.length = 0

    def look(self) -> None:
        now = asyncio.get_running_loop().time()
        for chat_id, *facts in self._raw.execute(_LOOK).fetchall():
            state = State(self.length, now, *facts)
            past = self.of_chat.get(chat_id)
            if past is not None and past[-1].snapshot == state.snapshot:
                continue
            self.length += 1
            self.of_chat.setdefault(chat_id, []).append(state)
            if past is None:
                self._meet(chat_id)

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
        self._inner = InlineSQLite(raw)
        self.chronicle = chronicle

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        result = await self._inner.write(body, pace=pace)
        self.chronicle.look()
        return result

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._inner.read(body, pace=pace)
