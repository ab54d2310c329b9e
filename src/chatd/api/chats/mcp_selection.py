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
    if wanted is UNSET and chat is not None:
        return setup
    if wanted is UNSET or wanted is None:
        chosen = await _kept_by_a_new_chat(asked) if chat is None else None
    else:
        inventory = await asked.server.mcp.store.inventory(asked.user.id)
        chosen = inventory.choice(wanted, await _chosen_before(asked, chat))
    is_usual = chat is None and chosen is None
    return setup if is_usual else replace(setup or SetupChange(), mcp_servers=chosen)


async def _kept_by_a_new_chat(asked: Asked[Q, C]) -> tuple[str, ...] | None:
    """Looked for only where some server is not for everyone, which one small query tells."""
    servers = asked.server.mcp.store
    if not await servers.has_any_for_groups():
        return None
    return (await servers.inventory(asked.user.id)).to_keep()


async def _chosen_before(asked: Asked[Q, C], chat: Chat | None) -> tuple[str, ...]:
    if chat is None or not chat.versions.setup:
        return ()
    return (await read_setup(asked.store.db, chat.id)).mcp_servers or ()
