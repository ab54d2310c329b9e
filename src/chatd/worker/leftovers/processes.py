"""Ends the commands of chats that are gone: no call could see or end them any more.

Hints say that a chat was deleted. What they miss is found by looking.
"""

import asyncio
from typing import Protocol

import structlog

from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.worker.leftovers.deletions import deleted_among, next_deletions

log = structlog.get_logger()

LOOK_SECONDS = 60.0


class ChatProcesses(Protocol):
    def chats(self) -> frozenset[ChatId]:
        """Those of which a process runs, or is remembered."""
        ...

    def forget_chat(self, chat_id: ChatId) -> None:
        """Kill what it runs, and forget what it ran."""
        ...


async def end_left_processes(db: Database, hints: Bus, processes: ChatProcesses, clock: Clock) -> None:
    """For as long as the server runs."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_follow(hints, processes), name="end commands of deleted chats")
        group.create_task(_look(db, processes, clock), name="find commands of deleted chats")


async def _follow(hints: Bus, processes: ChatProcesses) -> None:
    with hints.listening() as heard:
        while True:
            _forget(processes, await next_deletions(heard))


async def _look(db: Database, processes: ChatProcesses, clock: Clock) -> None:
    while True:
        await clock.sleep(LOOK_SECONDS)
        try:
            _forget(processes, await deleted_among(db, processes.chats()))
        except Unavailable:
            pass  # The database has said so in the log.


def _forget(processes: ChatProcesses, chat_ids: set[ChatId]) -> None:
    for chat_id in chat_ids & processes.chats():
        log.info("processes.forgotten", chat_id=chat_id, why="the chat was deleted")
        processes.forget_chat(chat_id)
