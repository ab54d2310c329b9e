"""A real workspace with real MCP servers in it, for tests."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chatd.catalog.mcp.server import McpServer
from chatd.domain.chat import Chat
from chatd.domain.ids import UserId
from chatd.domain.setup import NO_SETUP, Setup
from chatd.kit.clock import SystemClock
from chatd.mcp.chat_servers import ChatServers
from chatd.mcp.connections.connections import open_connections
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.tools.offered import McpTools
from chatd.mcp.workspace.declaration import FILE, digest_of
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.mcp.workspace.trust import TrustStore
from chatd.storage.database import Database
from chatd.workspaces.local.sandbox.confine import Confinement, SandboxMode
from chatd.workspaces.local.workspace import local_workspace
from chatd.workspaces.workspace import Workspace
from tests.conftest import OWNER
from tests.mcp.running import HOSTILE
from tests.support.model import ModelChat
from tests.workspaces.local.world import enclosure_for, program

# In the workspace, where a sandbox can see it.
SERVER = "server.py"


class Place:
    def __init__(self, root: Path, workspace: Workspace, chat_servers: ChatServers) -> None:
        self.root = root
        self.workspace = workspace
        self.chat_servers = chat_servers
        self.setup: Setup = Setup(workspace=str(root))
        self.chat: Chat = ModelChat().chat
        self.servers: list[McpServer] = []

    def declare(self, **servers: Any) -> str:
        """Write the file; its digest."""
        data = json.dumps({"mcpServers": servers}).encode()
        (self.root / FILE).write_bytes(data)
        return digest_of(data)

    def declare_program(self, mode: str = "good", name: str = "local", **more: Any) -> str:
        return self.declare(**{name: {"command": program("python3"), "args": [SERVER, mode], **more}})

    async def trust(self, digest: str, user_id: UserId = OWNER) -> None:
        await self.chat_servers.workspace_servers.trust.trust(user_id, str(self.root), digest)

    async def tools(self, setup: Setup | None = None) -> McpTools:
        return await self.chat_servers.tools(self.chat, setup or self.setup)

    async def names(self) -> list[str]:
        return [offered.tool.name for offered in (await self.tools()).offered]


@asynccontextmanager
async def a_place(
    path: Path, database: Database, mode: SandboxMode = SandboxMode.OFF
) -> AsyncIterator[Place]:
    root, data = path / "root", path / "data"
    root.mkdir()
    data.mkdir()
    shutil.copy(HOSTILE, root / SERVER)
    confinement = Confinement(mode=mode, hidden=(data,))
    enclosure, clock = await enclosure_for(confinement), SystemClock()
    async with (
        local_workspace(root, data / "kept", enclosure, confinement, clock) as workspace,
        open_connections(wire_sessions(), clock) as connections,
    ):

        async def servers_of(_: UserId, __: object) -> list[McpServer]:
            return place.servers

        async def workspace_at(_: str) -> Workspace:
            return workspace

        place = Place(
            root,
            workspace,
            ChatServers(
                connections=connections,
                servers_of=servers_of,
                workspace_at=workspace_at,
                workspace_servers=WorkspaceServers(TrustStore(database), private_addresses=False),
            ),
        )
        yield place


NO_WORKSPACE = NO_SETUP
