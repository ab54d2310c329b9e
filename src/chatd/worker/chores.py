"""Slow periodic work that no chat waits for. Of the servers of a database, one does each piece at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog
from msgspec import Struct

from chatd.accounts.lives.leaving import settle_all
from chatd.accounts.lives.stopping import stop_agents_of_shut_out
from chatd.domain.ids import SECOND, ChatId
from chatd.errors import Unavailable
from chatd.kit.clock import Clock
from chatd.kit.ids import new_id
from chatd.storage.reads.read import FIRST_EXPIRED, expired_chats
from chatd.storage.tables.audit_seals import blank_addresses, purge_audit, seal_audit
from chatd.storage.tables.chores import HELD_MICROS, finish_chore, keep_chore, take_chore
from chatd.storage.tables.files import remove_unused_files
from chatd.storage.transactions.transact import Store, delete_expired_chat

log = structlog.get_logger()

# After a start, and from then on. A server that is started often does its chores too.
FIRST_CHORES_SECONDS = 60.0
UNUSED_FILES_SECONDS = 3600.0
EXPIRED_CHATS_SECONDS = 60.0
SHUT_OUT_SECONDS = 60.0
LEAVERS_SECONDS = 60.0
SEALS_SECONDS = 3600.0
# Rows of the audit that have become too old, and addresses in them.
OLD_AUDIT_SECONDS = 24 * 3600.0

# A server that looks a little earlier than the last one did still finds it due.
DUE_SHARE = 0.9
# How often a server says that it still does a chore.
KEPT_SECONDS = HELD_MICROS / SECOND / 4

# Files of one transaction: the largest have 10 MiB, and others wait for the database meanwhile.
FILES_AT_ONCE = 10
FILES_PAUSE_SECONDS = 1.0

# Temporary chats that are looked for in one query. Each is removed in a transaction of its own.
EXPIRED_AT_ONCE = 100
# Of one look. What is left is found a minute later: 2,000 in a minute are more than any user may make.
EXPIRED_PER_LOOK_MAX = 2000
EXPIRED_PAUSE_SECONDS = 0.005

# Transactions of one look at the audit; each seals, empties or removes what one seal is about.
SEALS_PER_LOOK_MAX = 1000
SEALS_PAUSE_SECONDS = 0.05


class Chore(Struct, frozen=True):
    """What is done in a transaction of the database is written down there, with how much it was."""

    name: str
    run: Callable[[Store, Clock], Awaitable[None]]
    seconds: float


async def do_chores(store: Store, clock: Clock, chores: Sequence[Chore] | None = None) -> None:
    """For as long as the server runs. Each by itself: one that fails, or takes long, holds up no other."""
    holder = new_id()
    async with asyncio.TaskGroup() as group:
        for chore in CHORES if chores is None else chores:
            group.create_task(_repeat(chore, store, clock, holder), name=chore.name)


async def _repeat(chore: Chore, store: Store, clock: Clock, holder: str) -> None:
    """What cannot be done now is done the next time."""
    await clock.sleep(FIRST_CHORES_SECONDS)
    while True:
        try:
            await _do_if_due(chore, store, clock, holder)
        except Unavailable:
            pass  # The database has said so in the log.
        except Exception:
            log.exception("chores.failed", chore=chore.name)
        await clock.sleep(chore.seconds)


async def _do_if_due(chore: Chore, store: Store, clock: Clock, holder: str) -> None:
    lately = int(chore.seconds * DUE_SHARE * SECOND)
    if not await take_chore(store.db, chore.name, holder, not_within_micros=lately):
        return
    keeping = asyncio.create_task(_keep(chore, store, clock, holder), name=f"keep {chore.name}")
    done = False
    try:
        await chore.run(store, clock)
        done = True
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])
        await finish_chore(store.db, chore.name, holder, done=done)


async def _keep(chore: Chore, store: Store, clock: Clock, holder: str) -> None:
    while True:
        await clock.sleep(KEPT_SECONDS)
        try:
            await keep_chore(store.db, chore.name, holder)
        except Unavailable:
            pass  # It counts for a while longer.


async def remove_files(store: Store, clock: Clock) -> None:
    removed = 0
    while some := await remove_unused_files(store.db, limit=FILES_AT_ONCE):
        removed += some
        await clock.sleep(FILES_PAUSE_SECONDS)
    if removed:
        log.info("files.removed", count=removed, reason="no chat refers to them")


async def remove_expired_chats(store: Store, clock: Clock) -> None:
    """Temporary chats whose time is over. Each goes once, also if two servers should do this at once."""
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


async def settle_leavers(store: Store, clock: Clock) -> None:  # noqa: ARG001 - as chores are called
    """What is left to do with chats of deleted users: an agent was still at it, or a server ended."""
    await settle_all(store)


async def stop_for_shut_out(store: Store, _: Clock) -> None:
    await stop_agents_of_shut_out(store)


async def seal_new_audit(store: Store, clock: Clock) -> None:
    for _ in range(SEALS_PER_LOOK_MAX):
        if not await seal_audit(store.db):
            break
        await clock.sleep(SEALS_PAUSE_SECONDS)


async def clear_old_audit(store: Store, clock: Clock) -> None:
    """Rows that go need no blanking, so they go first."""
    for clear in (purge_audit, blank_addresses):
        for _ in range(SEALS_PER_LOOK_MAX):
            if not await clear(store.db):
                break
            await clock.sleep(SEALS_PAUSE_SECONDS)


CHORES = (
    Chore("remove_files", remove_files, UNUSED_FILES_SECONDS),
    Chore("remove_expired_chats", remove_expired_chats, EXPIRED_CHATS_SECONDS),
    Chore("settle_leavers", settle_leavers, LEAVERS_SECONDS),
    Chore("stop_for_shut_out", stop_for_shut_out, SHUT_OUT_SECONDS),
    Chore("seal_audit", seal_new_audit, SEALS_SECONDS),
    Chore("clear_old_audit", clear_old_audit, OLD_AUDIT_SECONDS),
)
