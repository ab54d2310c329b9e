"""Keeps the index of words up to date with what is said in chats.

Hints say which chats have changed. What they miss is found when a server starts and every hour after that. So
are chats that are older than the index.
"""

import asyncio

import structlog

from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.hints.bus import Bus
from chatd.hints.hint import ChatChanged
from chatd.kit.clock import Clock
from chatd.storage.database import Database
from chatd.storage.tables.search import chats_behind, index_chat

log = structlog.get_logger()

# How long changes are gathered: a turn changes its chat several times.
GATHER_SECONDS = 1.0
# Between two looks for chats that no hint told of.
CATCH_UP_SECONDS = 3600.0
CHATS_AT_ONCE = 100
# Between two transactions of catching up: there may be a million messages, and others want to write too.
PAUSE_SECONDS = 0.005
RETRY_SECONDS = 60.0


async def keep_search_index(db: Database, hints: Bus, clock: Clock) -> None:
    """For as long as the server runs."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_follow(db, hints, clock), name="index what changes")
        group.create_task(_catch_up(db, clock), name="index what was missed")


async def _follow(db: Database, hints: Bus, clock: Clock) -> None:
    with hints.listening() as heard:
        while True:
            changed = {hint.chat_id for hint in await heard.wait_for_hints() if isinstance(hint, ChatChanged)}
            if not changed:
                continue
            await clock.sleep(GATHER_SECONDS)
            changed |= {hint.chat_id for hint in heard.take() if isinstance(hint, ChatChanged)}
            for chat_id in changed:
                await _index(db, chat_id, clock)


async def _catch_up(db: Database, clock: Clock) -> None:
    while True:
        try:
            await index_all(db, clock)
            await clock.sleep(CATCH_UP_SECONDS)
        except Unavailable:
            # The database has said so in the log.
            await clock.sleep(RETRY_SECONDS)


async def index_all(db: Database, clock: Clock) -> None:
    """Every chat that is not indexed, or not to its end."""
    last = ""
    while chat_ids := await chats_behind(db, after=last, limit=CHATS_AT_ONCE):
        for chat_id in chat_ids:
            await _index(db, chat_id, clock)
        last = chat_ids[-1]


async def _index(db: Database, chat_id: ChatId, clock: Clock) -> None:
    """A chat that cannot be indexed stands in no other chat's way."""
    try:
        while await index_chat(db, chat_id):
            await clock.sleep(PAUSE_SECONDS)
    except Unavailable:
        pass  # The hour's look finds it.
    except Exception:
        log.exception("search.not_indexed", chat_id=chat_id)
