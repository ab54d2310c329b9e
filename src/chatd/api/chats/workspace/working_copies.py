"""Working copies of chats that work for others: they are removed with their family."""

import structlog

from chatd.api.router import Asked, B, Q
from chatd.domain.chat import Chat
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.families import read_children
from chatd.tools.agents.worktree import is_copy, remove_copies
from chatd.tools.tool import ToolError
from chatd.workspaces.workspace import WorkspaceUnusable

log = structlog.get_logger()


async def remove_copies_of(asked: Asked[Q, B], chat: Chat) -> None:
    """Best effort, before the chats are deleted: afterwards it is not known which ones there were."""
    db = asked.store.db
    children = [child.id for child in await read_children(db, chat.id)]
    copies = [each for each in children if is_copy((await read_setup(db, each)).workspace, each)]
    workspace = (await read_setup(db, chat.id)).workspace
    if not copies or workspace is None:
        return
    try:
        processes = (await asked.server.open_workspace(workspace)).processes
        await remove_copies(processes, chat.id, copies)
    except (ToolError, WorkspaceUnusable) as error:
        log.warning("working_copies.left", chat_id=chat.id, count=len(copies), why=str(error))
