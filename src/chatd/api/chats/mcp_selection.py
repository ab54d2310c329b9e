"""Which MCP servers a chat uses."""

from typing import TypeAlias, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from chatd.api import bodies
from chatd.api.router import Asked, Q
from chatd.domain.chat import Chat
from chatd.domain.setup import SetupChange
from chatd.storage.reads.read import read_setup

Chooses: TypeAlias = bodies.SetsUp | bodies.PatchChat
C = TypeVar("C", bound=Chooses)


async def with_mcp_servers(
    asked: Asked[Q, C], setup: SetupChange | None, chat: Chat | None = None
) -> SetupChange | None:
    """The setup with the servers that the caller, who owns the chat, has chosen.

    Raises BadInput, naming all that cannot be chosen, but for those that the chat has already.
    """
    wanted = asked.body.mcp_servers
    if wanted is UNSET:
        return setup
    chosen = None
    if wanted is not None:
        inventory = await asked.server.mcp.store.inventory(asked.user.id)
        chosen = inventory.choice(wanted, await _chosen_before(asked, chat))
    return replace(setup or SetupChange(), mcp_servers=chosen)


async def _chosen_before(asked: Asked[Q, C], chat: Chat | None) -> tuple[str, ...]:
    if chat is None or not chat.versions.setup:
        return ()
    return (await read_setup(asked.store.db, chat.id)).mcp_servers or ()
