"""Forgets the checkpoints of chats that are gone: what they kept of files goes with them.

Hints say that a chat was deleted. What they miss is found by looking.
"""

import asyncio
from collections.abc import Collection
from typing import Protocol

import structlog

from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.worker.leftovers.deletions import deleted_among, next_deletions

log = structlog.get_logger()

LOOK_SECONDS = 3600.0
# After a start: a server that is started often looks too.
FIRST_LOOK_SECONDS = 60.0


class ChatCheckpoints(Protocol):
    async def chats(self) -> frozenset[ChatId]:
        """Those of which something is kept."""
        ...

    async def forget(self, chat_ids: Collection[ChatId]) -> None: ...


async def forget_left_checkpoints(db: Database, hints: Bus, kept: ChatCheckpoints, clock: Clock) -> None:
    """For as long as the server runs."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_follow(hints, kept), name="forget checkpoints of deleted chats")
        group.create_task(_look(db, kept, clock), name="find checkpoints of deleted chats")


async def _follow(hints: Bus, kept: ChatCheckpoints) -> None:
    with hints.listening() as heard:
        while True:
            await _forget(kept, await next_deletions(heard))


async def _look(db: Database, kept: ChatCheckpoints, clock: Clock) -> None:
    await clock.sleep(FIRST_LOOK_SECONDS)
    while True:
        try:
            if gone := await deleted_among(db, await kept.chats()):
                await _forget(kept, gone)
        except Unavailable:
            pass  # The database has said so in the log.
        except OSError:
            log.exception("checkpoints.not_listed")
        await clock.sleep(LOOK_SECONDS)


async def _forget(kept: ChatCheckpoints, chat_ids: Collection[ChatId]) -> None:
    """What goes wrong here is for the next look; nothing else waits for it."""
    try:
        await kept.forget(chat_ids)
    except Exception:
        log.exception("checkpoints.not_forgotten", chats=len(chat_ids))
