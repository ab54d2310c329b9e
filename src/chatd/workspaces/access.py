"""Whether a chat may use its workspace now. It was allowed when the chat was made; that may have changed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from chatd.errors import BadInput
from chatd.workspaces.places import Places
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable

NO_WORKSPACE = (
    "The server was started without a workspace, so nothing can be read, changed or run. Tell the user to "
    "start it with `chatd serve --workspace DIR`."
)
NOT_SHARED = (
    "The server has several users, and its workspace is not for all of them. Tell the user that an "
    "administrator can allow it with CHATD_WORKSPACE_SHARED=true."
)
GONE = (
    "The directory of this chat, {path}, does not exist any more, or is not inside of the workspace of the "
    "server, {root}. Tell the user, who can bring it back or start a chat with another directory."
)


class WorkspaceAccess:
    """`open_at` opens the workspace of a directory, `is_only_user` says whether the server has one user."""

    def __init__(
        self,
        places: Places,
        *,
        is_only_user: Callable[[], Awaitable[bool]],
        open_at: Callable[[Path], Awaitable[Workspace]],
    ) -> None:
        self._places = places
        self._is_only_user = is_only_user
        self._open_at = open_at

    async def to(self, directory: str) -> Workspace:
        """The workspace of a chat that was made with this directory. Raises WorkspaceUnusable."""
        return await self._open_at(await self.check(directory))

    async def check(self, directory: str) -> Path:
        """The directory, if it may be used now. Opens nothing. Raises WorkspaceUnusable."""
        if self._places.root is None:
            raise WorkspaceUnusable(NO_WORKSPACE)
        if not self._places.shared and not await self._is_only_user():
            raise WorkspaceUnusable(NOT_SHARED)
        try:
            found = await asyncio.to_thread(self._places.named, directory)
        except BadInput:
            found = None
        # A link in its place leads elsewhere, where this chat was never meant to work.
        if found != Path(directory):
            raise WorkspaceUnusable(GONE.format(path=directory, root=self._places.root))
        return found
