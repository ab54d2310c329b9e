"""The workspace of the server: what it is, and the directory in which the agent of a new chat works."""

import asyncio

from msgspec import UNSET, UnsetType

from chatd.accounts.users import is_only_user
from chatd.api.bodies import Nothing, WorkspaceView
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, Server
from chatd.domain.people.deeds import Deed
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.protection import offer_in_words

START_WITH_ONE = "Start it with `chatd serve --workspace DIR`."
NOT_SHARED = "This server has several users, and its workspace is not for all of them."
ALLOW_IT = "An administrator can allow it with CHATD_WORKSPACE_SHARED=true."


async def show(asked: Asked[Nothing, Nothing]) -> WorkspaceView:
    """What the server offers, told as it is. An administrator sees the directory in any case."""
    root = asked.server.places.root
    if root is None:
        return WorkspaceView(usable=False, says="The server has no workspace.", why=START_WITH_ONE)
    protection = asked.server.protection
    if await _is_off(asked.server):
        told_to = str(root) if asked.may(Deed.POLICY_CHANGE) else None
        return WorkspaceView(usable=False, root=told_to, says=NOT_SHARED, why=ALLOW_IT)
    return WorkspaceView(
        usable=True,
        root=str(root),
        level=protection.level,
        network=protection.network,
        limits=protection.limits,
        keeps_files=git_path() is not None,
        says=offer_in_words(root, protection) or "",
        why=protection.why,
    )


async def workspace_of(server: Server, wanted: str | UnsetType | None) -> str | None:
    """As the caller wants it. One who names none gets that of the server, if it has one."""
    root = server.places.root
    if wanted is None or (wanted is UNSET and root is None):
        return None
    is_off = await _is_off(server)
    if wanted is UNSET:
        return None if is_off else str(root)
    if is_off and root is not None:
        raise Forbidden(
            "workspace_not_shared",
            NOT_SHARED,
            field="workspace",
            hint=ALLOW_IT,
        )
    return str(await asyncio.to_thread(server.places.named, str(wanted)))


async def _is_off(server: Server) -> bool:
    return not server.places.shared and not await is_only_user(server.store.db)
