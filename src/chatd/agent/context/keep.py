"""What a chat is told of its workspace is pinned before its first step there, and compared once a turn.

The pin is a commit under the fence of the runner, so of two runners one is heard, and after a crash before it
the next runner pins. What was pinned stays in use while the workspace is away, and also when it has changed:
then the chat says so, and its user decides when the prompt changes.
"""

import asyncio

import structlog

from chatd.agent.hold.hold import Hold
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.workspace.context import Context
from chatd.workspaces.context.discover import LOOK_SECONDS, discover
from chatd.workspaces.files import FileError
from chatd.workspaces.workspace import WorkspaceUnusable

log = structlog.get_logger()


async def keep_context(hold: Hold) -> None:
    """Before each step. It looks once a turn, and when the chat's setup has changed in the middle of one."""
    if not hold.is_first_look():
        return
    pinned, workspace = hold.chat.context, hold.setup.workspace
    found = await _look(hold, workspace) if workspace is not None else None
    if pinned is None or pinned.workspace != workspace:
        if found is not None or pinned is not None:
            await hold.commit(PinContext(context=found, over=hold.chat.pin_version))
    elif found is not None and (found.hash != pinned.hash) != (pinned.dirty_since is not None):
        await hold.commit(NoteContext(hash=found.hash, over=pinned.version))


async def _look(hold: Hold, workspace: str) -> Context | None:
    """What the workspace tells now; None: it is away."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            opened = await hold.workspace()
            return await discover(opened.files, workspace) if opened is not None else None
    except (WorkspaceUnusable, FileError, TimeoutError) as error:
        log.info("context.away", chat_id=hold.chat_id, reason=str(error) or "it took too long")
        return None
