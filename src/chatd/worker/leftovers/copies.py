"""Removes working copies of agents that were never started, or whose chats are gone.

A call that makes a copy may be interrupted, or its server killed, before there is an agent to work in it.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from chatd.errors import Unavailable
from chatd.hints.bus import Bus
from chatd.kit.clock import Clock
from chatd.kit.concurrency.bell import Bell
from chatd.storage.database import Database
from chatd.storage.tables.working_copies import (
    COPIES_AT_ONCE,
    FIRST,
    LeftCopy,
    forget_copy,
    left_copies,
)
from chatd.tools.agents.worktree import remove_copy
from chatd.tools.tool import ToolError
from chatd.worker.leftovers.deletions import next_deletions
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable

log = structlog.get_logger()

LOOK_SECONDS = 60.0
# Of one look; the rest is found by the next one.
LOOKED_AT_MAX = 1000
# What cannot be removed in this time is left to people: its workspace may be one of another server by now.
GIVE_UP_MICROS = 7 * 24 * 3600 * 1_000_000

OpenWorkspace = Callable[[str], Awaitable[Workspace]]


async def remove_left_copies(db: Database, hints: Bus, open_workspace: OpenWorkspace, clock: Clock) -> None:
    """For as long as the server runs."""
    bell = Bell()
    async with asyncio.TaskGroup() as group:
        group.create_task(_follow(hints, bell), name="hear of deleted chats")
        group.create_task(_ring(bell, clock), name="look for working copies now and then")
        while True:
            await bell.wait()
            try:
                await remove_once(db, open_workspace)
            except Unavailable:
                pass  # The database has said so in the log.
            except Exception:
                log.exception("working_copies.not_looked_for")


async def remove_once(db: Database, open_workspace: OpenWorkspace) -> None:
    place = FIRST
    for _ in range(0, LOOKED_AT_MAX, COPIES_AT_ONCE):
        found = await left_copies(db, after=place, old_micros=GIVE_UP_MICROS)
        for copy in found:
            place = copy.child_id
            await _remove(db, open_workspace, copy)
        if len(found) < COPIES_AT_ONCE:
            return


async def _remove(db: Database, open_workspace: OpenWorkspace, copy: LeftCopy) -> None:
    """One that cannot be removed stands in no other's way."""
    try:
        workspace = await open_workspace(copy.workspace)
        await remove_copy(workspace.processes, copy.child_id)
    except (ToolError, WorkspaceUnusable) as error:
        if not copy.is_old:
            return
        log.warning("working_copy.left", chat_id=copy.child_id, workspace=copy.workspace, why=str(error))
    else:
        log.info("working_copy.removed", chat_id=copy.child_id, reason="no chat refers to it")
    await forget_copy(db, copy.child_id)


async def _follow(hints: Bus, bell: Bell) -> None:
    with hints.listening() as heard:
        while True:
            await next_deletions(heard)
            bell.ring()


async def _ring(bell: Bell, clock: Clock) -> None:
    while True:
        bell.ring()
        await clock.sleep(LOOK_SECONDS)
