"""Ends the commands of chats that are gone, or have no workspace any more: no call could see or end them.

Hints say that a chat was deleted, or was changed while no agent works in it, as one is that is handed over.
What they miss is found by looking.
"""

import asyncio
from collections.abc import Collection, Iterable
from typing import Protocol

import structlog

from chatd.domain.decision.turns import AT_REST
from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.hints.bus import Bus
from chatd.hints.hint import ChatChanged, ChatDeleted, Hint
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.storage.reads.read import read_setup

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
        group.create_task(_follow(db, hints, processes), name="end commands of chats without a workspace")
        group.create_task(_look(db, processes, clock), name="find commands of chats without a workspace")


async def _follow(db: Database, hints: Bus, processes: ChatProcesses) -> None:
    with hints.listening() as heard:
        while True:
            meant = {hint.chat_id for hint in await heard.wait_for_hints() if _may_have_left(hint)}
            await _end_left(db, processes, meant & processes.chats())


async def _look(db: Database, processes: ChatProcesses, clock: Clock) -> None:
    while True:
        await clock.sleep(LOOK_SECONDS)
        await _end_left(db, processes, processes.chats())


def _may_have_left(hint: Hint) -> bool:
    return isinstance(hint, ChatDeleted) or (isinstance(hint, ChatChanged) and hint.status in AT_REST)


async def _end_left(db: Database, processes: ChatProcesses, chat_ids: Collection[ChatId]) -> None:
    try:
        left = [chat_id for chat_id in chat_ids if (await read_setup(db, chat_id)).workspace is None]
    except Unavailable:
        return  # The database has said so in the log.
    _forget(processes, left)


def _forget(processes: ChatProcesses, chat_ids: Iterable[ChatId]) -> None:
    for chat_id in chat_ids:
        log.info("processes.forgotten", chat_id=chat_id, why="the chat has no workspace")
        processes.forget_chat(chat_id)
