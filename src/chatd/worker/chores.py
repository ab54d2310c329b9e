"""Slow periodic work that no chat waits for."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from chatd.domain.ids import ChatId
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.storage.reads.read import FIRST_EXPIRED, expired_chats
from chatd.storage.tables.files import remove_unused_files
from chatd.storage.transactions.transact import Store, delete_expired_chat

log = structlog.get_logger()

# After a start, and from then on. A server that is started often does its chores too.
FIRST_CHORES_SECONDS = 60.0
UNUSED_FILES_SECONDS = 3600.0
EXPIRED_CHATS_SECONDS = 60.0

# Files of one transaction: the largest have 10 MiB, and others wait for the database meanwhile.
FILES_AT_ONCE = 10
FILES_PAUSE_SECONDS = 1.0

# Temporary chats that are looked for in one query. Each is removed in a transaction of its own.
EXPIRED_AT_ONCE = 100
# Of one look. What is left is found a minute later: 2,000 in a minute are more than any user may make.
EXPIRED_PER_LOOK_MAX = 2000
EXPIRED_PAUSE_SECONDS = 0.005


async def do_chores(store: Store, clock: Clock) -> None:
    """For as long as the server runs."""
    async with asyncio.TaskGroup() as group:
        for chore, seconds in CHORES:
            group.create_task(_repeat(chore, seconds, store, clock), name=chore.__name__)


async def _repeat(
    chore: Callable[[Store, Clock], Awaitable[None]], seconds: float, store: Store, clock: Clock
) -> None:
    """What cannot be done now is done the next time."""
    await clock.sleep(FIRST_CHORES_SECONDS)
    while True:
        try:
            await chore(store, clock)
        except Unavailable:
            pass  # The database has said so in the log.
        except Exception:
            log.exception("chores.failed")
        await clock.sleep(seconds)


async def remove_files(store: Store, clock: Clock) -> None:
    removed = 0
    while some := await remove_unused_files(store.db, limit=FILES_AT_ONCE):
        removed += some
        await clock.sleep(FILES_PAUSE_SECONDS)
    if removed:
        log.info("files.removed", count=removed, reason="no chat refers to them")


async def remove_expired_chats(store: Store, clock: Clock) -> None:
    """Temporary chats whose time is over. All servers of a database do this; each chat goes once."""
    removed, place = 0, FIRST_EXPIRED
    for _ in range(0, EXPIRED_PER_LOOK_MAX, EXPIRED_AT_ONCE):
        # From a place on: a chat that cannot be removed stands in no other chat's way.
        found = await expired_chats(store.db, after=place, limit=EXPIRED_AT_ONCE)
        for place in found:
            removed += await _remove_expired_chat(store, place.chat_id)
            await clock.sleep(EXPIRED_PAUSE_SECONDS)
        if len(found) < EXPIRED_AT_ONCE:
            break
    if removed:
        log.info("chats.removed", count=removed, reason="they were temporary")


async def _remove_expired_chat(store: Store, chat_id: ChatId) -> bool:
    try:
        return await delete_expired_chat(store, chat_id)
    except Unavailable:
        raise
    except Exception:
        log.exception("chats.not_removed", chat_id=chat_id)
        return False


CHORES = ((remove_files, UNUSED_FILES_SECONDS), (remove_expired_chats, EXPIRED_CHATS_SECONDS))
