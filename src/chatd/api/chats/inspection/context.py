"""What a chat is told of its workspace: see it, and have it read anew."""

import asyncio

from chatd.api import bodies
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import in_use, permitted_chat, still
from chatd.api.router import Asked, Server
from chatd.api.serving.limits.admission import Heavy
from chatd.domain.chat import Chat
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.workspace.context import Context, Resource
from chatd.errors import NotAllowed
from chatd.kit.clock import rfc3339
from chatd.storage.database import Database
from chatd.storage.reads.contexts import read_resources
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.transact import transact
from chatd.workspaces.context.discover import LOOK_SECONDS, discover
from chatd.workspaces.files import FileError
from chatd.workspaces.workspace import WorkspaceUnusable


async def show(asked: Asked[Nothing, Nothing]) -> bodies.ContextView:
    return await _view(asked.store.db, await permitted_chat(asked))


async def refresh(asked: Asked[Nothing, Nothing]) -> bodies.ContextView:
    """A chat without a workspace is told nothing from then on. One whose workspace is away keeps its pin."""
    chat = in_use(await permitted_chat(asked))
    with asked.admitted(Heavy.REFRESH):
        workspace = (await read_setup(asked.store.db, chat.id)).workspace
        context = await _look(asked.server, workspace) if workspace is not None else None
        pin = PinContext(context=context)
        done = await transact(asked.store, chat.id, pin, admit=still(asked))
    return await _view(asked.store.db, done.chat)


async def _look(server: Server, workspace: str) -> Context:
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return await discover((await server.open_workspace(workspace)).files, workspace)
    except (WorkspaceUnusable, FileError, TimeoutError) as error:
        raise NotAllowed(
            "workspace_away",
            f"The workspace {workspace} cannot be read now. What the chat was told of it stays as it is.",
            hint="See whether the directory is there, and whether the server was started with `--workspace`.",
        ) from error


async def _view(db: Database, chat: Chat) -> bodies.ContextView:
    pinned = chat.context
    if pinned is None:
        return bodies.ContextView(
            workspace=None, pinned_at=None, dirty_since=None, truncated=False, resources=()
        )
    return bodies.ContextView(
        workspace=pinned.workspace,
        pinned_at=rfc3339(pinned.at),
        dirty_since=rfc3339(pinned.dirty_since) if pinned.dirty_since is not None else None,
        truncated=pinned.truncated,
        resources=tuple(_resource(each) for each in await read_resources(db, chat.id)),
    )


def _resource(resource: Resource) -> bodies.ResourceView:
    return bodies.ResourceView(
        kind=resource.kind,
        source=resource.source,
        size_bytes=resource.size_bytes,
        status=resource.status,
        error=resource.error or None,
        skill_name=resource.skill_name or None,
        skill_description=resource.skill_description or None,
    )
