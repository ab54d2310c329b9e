"""MCP servers: of the deployment, of the caller, and those that a workspace declares."""

from typing import Any

from chatd.client.answers import (
    Disconnected,
    McpProbe,
    McpServer,
    McpServerList,
    SignIn,
    Unreadable,
    WorkspaceMcpServers,
)
from chatd.client.asynchronous.calls import Calls, path_in
from chatd.client.transport import PROBE_SECONDS

MCP_SERVERS = "/api/v1/mcp-servers"
WORKSPACE_MCP_SERVERS = "/api/v1/workspace/mcp-servers"


class McpServerCalls(Calls):
    async def mcp_servers(self) -> tuple[McpServer, ...]:
        return (await self._http.ask("GET", MCP_SERVERS, McpServerList)).mcp_servers

    async def unreadable_mcp_servers(self) -> tuple[Unreadable, ...]:
        """MCP servers that a newer server has stored, or that are damaged."""
        return (await self._http.ask("GET", MCP_SERVERS, McpServerList)).unreadable

    async def mcp_server(self, server_id: str) -> McpServer:
        return await self._http.ask("GET", path_in(MCP_SERVERS, server_id), McpServer)

    async def add_mcp_server(self, slug: str, **fields: Any) -> McpServer:
        """The fields are those of the API, such as `url`, `scope` and `auth_type`."""
        body = {"slug": slug, **fields}
        return await self._http.ask("POST", MCP_SERVERS, McpServer, body=body, seconds=PROBE_SECONDS)

    async def change_mcp_server(self, server_id: str, **fields: Any) -> McpServer:
        path = path_in(MCP_SERVERS, server_id)
        return await self._http.ask("PATCH", path, McpServer, body=fields, seconds=PROBE_SECONDS)

    async def delete_mcp_server(self, server_id: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(MCP_SERVERS, server_id))

    async def test_mcp_server(self, server_id: str) -> McpProbe:
        """One connection, made by the server as the caller."""
        path = f"{path_in(MCP_SERVERS, server_id)}/test"
        return await self._http.ask("POST", path, McpProbe, seconds=PROBE_SECONDS)

    async def connect_mcp_server(self, server_id: str) -> SignIn:
        """Begin to sign in. The user opens the address, and is shown a code for `finish_mcp_sign_in`."""
        return await self._http.ask("POST", f"{path_in(MCP_SERVERS, server_id)}/oauth2/connect", SignIn)

    async def finish_mcp_sign_in(self, server_id: str, code: str) -> McpServer:
        path = f"{path_in(MCP_SERVERS, server_id)}/oauth2/finish"
        return await self._http.ask("POST", path, McpServer, body={"code": code})

    async def disconnect_mcp_server(self, server_id: str) -> Disconnected:
        path = f"{path_in(MCP_SERVERS, server_id)}/oauth2/disconnect"
        return await self._http.ask("DELETE", path, Disconnected, seconds=PROBE_SECONDS)

    async def workspace_mcp_servers(self, workspace: str = ".") -> WorkspaceMcpServers:
        """The MCP servers that a workspace declares in `.mcp.json`."""
        query = {"workspace": workspace}
        return await self._http.ask("GET", WORKSPACE_MCP_SERVERS, WorkspaceMcpServers, query=query)

    async def trust_workspace_mcp_servers(self, digest: str, workspace: str = ".") -> WorkspaceMcpServers:
        """Your chats may start what it declares. `digest` is of the file that you have seen."""
        body = {"digest": digest, "workspace": workspace}
        return await self._http.ask("PUT", WORKSPACE_MCP_SERVERS, WorkspaceMcpServers, body=body)

    async def distrust_workspace_mcp_servers(self, workspace: str = ".") -> None:
        await self._http.ask_bytes("DELETE", WORKSPACE_MCP_SERVERS, query={"workspace": workspace})
