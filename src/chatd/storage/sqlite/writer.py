"""The writer: one connection, groups of transactions, and a thread that waits for the disk.

Transactions that wait together are run one after the other, a savepoint each, and committed together: they
share one fsync. Quick ones are run in the event loop, because two threads that take the interpreter from one
another at every statement cost more CPU than the statements. Only the commit, which waits for the disk, is
left to the thread. All others are run in the thread from beginning to end, so that the loop goes on.
The event loop decides whose turn it is, so the connection is used in one place at a time.
"""

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from chatd.storage.sqlite.connection import Job, SQLiteConnection, begin, commit, commit_group, perform_all
from chatd.storage.sqlite.file_guard import FileGuard

# Transactions that share one commit. Any of them may be long, and all others wait until the last has run.
GROUP_MAX = 4
# Quick ones, which hold up the event loop until the last of them has run.
QUICK_GROUP_MAX = 16
# Groups of quick ones that go before others that have waited for longer. An import takes long anyway, and a
# message should not wait for several; but every transaction has its turn.
QUICK_GROUPS_FIRST_MAX = 8
# How long the thread waits for another program's transaction; the event loop does not wait at all.
BUSY_MILLISECONDS = 5000


class Writer:
    def __init__(
        self, raw: sqlite3.Connection, queries: Mapping[str, str], guard: FileGuard | None = None
    ) -> None:
        self._raw = raw
        self._guard = guard
        self._connection = SQLiteConnection(raw, queries)
        self._quick: deque[Job[Any]] = deque()
        self._others: deque[Job[Any]] = deque()
        # Groups of quick ones that went first, since the others have waited.
        self._went_first = 0
        self._is_working = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._deeds: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=_perform_deeds, args=(self._deeds,), name="sqlite writer")
        _wait_for_others(raw, milliseconds=0)
        self._thread.start()

    @property
    def waiting(self) -> int:
        return len(self._quick) + len(self._others)

    def put(self, job: Job[Any]) -> None:
        """Run it, and answer it when it is on the disk."""
        (self._quick if job.is_quick else self._others).append(job)
        if self._is_working:
            job.waits_since = time.monotonic()
        else:
            self._is_working = True
            self._idle.clear()
            # Not at once: whatever else is asked for in this turn of the event loop joins the group.
            job.loop.call_soon(self._work)

    async def close(self) -> None:
        """Finish what waits, then end the thread."""
        await self._idle.wait()
        self._deeds.put(None)
        await asyncio.to_thread(self._thread.join)
        self._raw.close()

    def _work(self) -> None:
        """Take the next group as far as the event loop can, and leave the rest to the thread."""
        while group := self._next_group():
            if not (group[0].is_quick and self._begin_here()):
                self._hand_over(partial(self._commit_group, group), group)
                return
            if perform_all(self._raw, self._connection, group):
                self._hand_over(partial(commit, self._raw, group), group)
                return
            _answer(group)
        self._is_working = False
        self._idle.set()

    def _next_group(self) -> list[Job[Any]]:
        """The oldest jobs of one kind: quick ones, unless others have waited long enough."""
        if self._quick and not (self._others and self._went_first >= QUICK_GROUPS_FIRST_MAX):
            self._went_first += bool(self._others)
            return _taken(self._quick, QUICK_GROUP_MAX)
        self._went_first = 0
        return _taken(self._others, GROUP_MAX)

    def _begin_here(self) -> bool:
        """False when that needs patience, or fails: then the thread tries, and tells what it is."""
        try:
            self._check_file()
            begin(self._raw)
        except BaseException:  # noqa: BLE001 - callers would wait for ever
            return False
        return True

    def _hand_over(self, deed: Callable[[], None], group: Sequence[Job[Any]]) -> None:
        loop = group[0].loop

        def perform() -> None:
            try:
                deed()
            except BaseException as error:  # noqa: BLE001 - callers would wait for ever
                for job in group:
                    job.fail(error)
            try:
                loop.call_soon_threadsafe(self._go_on, group)
            except RuntimeError:
                pass  # The loop is gone, and with it every caller.

        self._deeds.put(perform)

    def _commit_group(self, group: Sequence[Job[Any]]) -> None:
        self._check_file()
        _wait_for_others(self._raw, milliseconds=BUSY_MILLISECONDS)
        commit_group(self._raw, self._connection, group)
        _wait_for_others(self._raw, milliseconds=0)

    def _check_file(self) -> None:
        if self._guard is not None:
            self._guard.check()

    def _go_on(self, group: Sequence[Job[Any]]) -> None:
        _answer(group)
        # After the callers: what they ask for next joins the group.
        group[0].loop.call_soon(self._work)


def _wait_for_others(raw: sqlite3.Connection, *, milliseconds: int) -> None:
    raw.execute(f"PRAGMA busy_timeout = {milliseconds}")


def _taken(waiting: deque[Job[Any]], most: int) -> list[Job[Any]]:
    return [waiting.popleft() for _ in range(min(most, len(waiting)))]


def _answer(group: Sequence[Job[Any]]) -> None:
    for job in group:
        job.answer()


def _perform_deeds(deeds: "queue.SimpleQueue[Callable[[], None] | None]") -> None:
    while (deed := deeds.get()) is not None:
        deed()
        # Free the results of this one while we wait for the next.
        del deed
