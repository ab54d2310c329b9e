"""Where the agent of a chat works, what protects the rest and what waits for trust, for who talks to it."""

import shlex

from msgspec import UNSET, UnsetType

from chatd.client import ApiError, AsyncClient, Unreachable
from chatd.client.answers import Chat


async def check_workspace(client: AsyncClient, wanted: str) -> None:
    """Raises the server's refusal of a directory in which no agent can work, before the user types."""
    try:
        await client.workspace_mcp_servers(wanted)
    except ApiError as error:
        # Anything else is not about the directory, such as a server of before.
        if error.field == "workspace":
            raise


async def place_in_words(
    client: AsyncClient, chat: Chat | None, wanted: str | UnsetType = UNSET
) -> str | None:
    """None for a chat without a workspace. A new chat has the `wanted` one, or that of the server."""
    if chat is not None and chat.workspace is None:
        return None
    try:
        offered = await client.workspace()
    except ApiError:
        return None  # A server of before.
    if not offered.usable:
        return offered.says if chat is not None else None
    where = chat.workspace if chat is not None else (offered.root if wanted is UNSET else wanted)
    return offered.says.replace(f"Agents work in {offered.root}.", f"The agent works in {where}.")


async def waiting_for_trust(
    client: AsyncClient, chat: Chat | None, wanted: str | UnsetType = UNSET
) -> str | None:
    """What to do when the workspace declares MCP servers that its user has not looked at. None: nothing."""
    where = chat.workspace if chat is not None else ("." if wanted is UNSET else wanted)
    if where is None:
        return None
    try:
        found = await client.workspace_mcp_servers(where)
    except (ApiError, Unreachable):
        return None  # There is no workspace, or a server of before.
    if found.digest is None or found.trusted:
        return None
    names = ", ".join(server.name for server in found.servers)
    command = f"chatd mcp trust {shlex.quote(found.workspace)}"
    return f"Its .mcp.json declares MCP servers that wait for your trust ({names}). Look at them: `{command}`"
