"""The MCP servers of a chat: those of the administrator and the user, and those of its workspace."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.mcp.config import McpServerId
from chatd.catalog.mcp.identity import Identity, with_identity
from chatd.catalog.mcp.server import McpServer, Transport
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import Setup
from chatd.mcp.connections.connections import Connections
from chatd.mcp.connections.program import open_program
from chatd.mcp.tools.offered import McpTools, mcp_tools
from chatd.mcp.tools.tool import Wanted
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable

# The servers of a user that a chat has chosen, in an order that stays; None: those that are on by default.
ServersOf: TypeAlias = Callable[[UserId, tuple[McpServerId, ...] | None], Awaitable[Sequence[McpServer]]]
# The workspace of a directory. Raises WorkspaceUnusable.
WorkspaceAt: TypeAlias = Callable[[str], Awaitable[Workspace]]


class ChatServers(Struct, frozen=True, kw_only=True):
    connections: Connections
    servers_of: ServersOf
    workspace_at: WorkspaceAt
    workspace_servers: WorkspaceServers

    async def tools(self, chat: Chat, setup: Setup) -> McpTools:
        """Once a turn. Those of the workspace come last, so that they take no other server's name."""
        return await mcp_tools(
            self.connections,
            chat.owner_id,
            partial(self._wanted, chat, setup),
            await self._absent(chat, setup),
        )

    async def _wanted(self, chat: Chat, setup: Setup) -> Sequence[Wanted]:
        own = [_of_chat(server, chat) for server in await self._servers(chat, setup)]
        workspace = await self._workspace(setup)
        if workspace is None:
            return own
        declared = await self.workspace_servers.declared(chat.owner_id, workspace)
        return [*own, *self.workspace_servers.wanted(declared, workspace)]

    async def _servers(self, chat: Chat, setup: Setup) -> Sequence[McpServer]:
        chosen = setup.mcp_servers
        ids = tuple(map(McpServerId, chosen)) if chosen is not None else None
        return await self.servers_of(chat.owner_id, ids)

    async def _absent(self, chat: Chat, setup: Setup) -> dict[str, str]:
        workspace = await self._workspace(setup)
        if workspace is None:
            return {}
        declared = await self.workspace_servers.declared(chat.owner_id, workspace)
        return self.workspace_servers.absent(declared, workspace)

    async def _workspace(self, setup: Setup) -> Workspace | None:
        if setup.workspace is None:
            return None
        try:
            return await self.workspace_at(setup.workspace)
        except WorkspaceUnusable:
            return None  # The tools of the workspace say why.


def _of_chat(server: McpServer, chat: Chat) -> Wanted:
    if server.transport is Transport.STDIO:
        return Wanted(server=server, open_pipes=partial(open_program, server))
    if not server.forward_identity:
        return Wanted(server=server)
    # Who calls is told with each request, so that such a server has a connection for each chat.
    is_child = chat.root_id is not None and chat.root_id != chat.id
    identity = Identity(
        owner_id=chat.owner_id,
        root_chat_id=chat.root_id or chat.id,
        child_chat_id=chat.id if is_child else None,
    )
    headers = with_identity(server.headers, identity)
    identified = replace(server, id=f"{server.id} {chat.id}", headers=headers)
    return Wanted(server=identified, known_as=server.id)
