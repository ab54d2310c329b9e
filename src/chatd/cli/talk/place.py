"""Where the agent of a chat works and what protects the rest: one line for the person who talks to it."""

from msgspec import UNSET, UnsetType

from chatd.client import ApiError, AsyncClient
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
