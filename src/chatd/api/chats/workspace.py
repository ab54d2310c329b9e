"""The directory in which the agent of a new chat works."""

import asyncio

from msgspec import UNSET, UnsetType

from chatd.accounts.users import is_only_user
from chatd.api.failures import Forbidden
from chatd.api.router import Server


async def workspace_of(server: Server, wanted: str | UnsetType | None) -> str | None:
    """As the caller wants it. One who names none gets that of the server, if it has one."""
    root = server.places.root
    if wanted is None or (wanted is UNSET and root is None):
        return None
    is_off = not server.places.shared and not await is_only_user(server.store.db)
    if wanted is UNSET:
        return None if is_off else str(root)
    if is_off and root is not None:
        raise Forbidden(
            "workspace_not_shared",
            "This server has several users, and its workspace is not for all of them.",
            field="workspace",
            hint="An administrator can allow it with CHATD_WORKSPACE_SHARED=true.",
        )
    return str(await asyncio.to_thread(server.places.named, str(wanted)))
