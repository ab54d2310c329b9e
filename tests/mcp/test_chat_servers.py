from msgspec.structs import replace

from chatd.catalog.mcp.server import McpServer
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, UserId
from chatd.domain.setup import NO_SETUP
from chatd.kit.clock import SystemClock
from chatd.mcp.chat_servers import ChatServers
from chatd.mcp.connections.connections import open_connections
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.mcp.workspace.trust import TrustStore
from chatd.storage.database import Database
from chatd.tools.toolbox import Toolbox
from chatd.workspaces.workspace import Workspace
from tests.mcp.running import Bench, Way, running
from tests.support.model import ModelChat
from tests.traceability import proves


async def no_workspace(_: str) -> Workspace:
    raise AssertionError("no chat of these has one")


async def headers_of_a_call(database: Database, server: McpServer, *chats: Chat) -> list[str]:
    """What the server was told, in each of these chats."""

    async def servers_of(_: UserId, __: object) -> list[McpServer]:
        return [server]

    async with open_connections(wire_sessions(), SystemClock()) as connections:
        chat_servers = ChatServers(
            connections=connections,
            servers_of=servers_of,
            workspace_at=no_workspace,
            workspace_servers=WorkspaceServers(TrustStore(database), private_addresses=False),
        )
        told = []
        for chat in chats:
            tools = await chat_servers.tools(chat, NO_SETUP)
            toolbox = Toolbox([each.tool for each in tools.offered])
            told.append(str((await Bench(connections).call_in(toolbox, "sample__headers")).result))
        return told


@proves("mcp-skills-hooks", 33)
async def test_a_server_that_asks_for_it_is_told_the_root_chat_and_the_child(database: Database) -> None:
    root = ModelChat().chat
    child = replace(root, id=ChatId("child-1"), root_id=root.id, parent_id=root.id)
    async with running(Way.JSON) as server:
        asking = replace(server, forward_identity=True)
        of_root, of_child = await headers_of_a_call(database, asking, root, child)
        (of_other,) = await headers_of_a_call(database, server, root)

    assert f"'x-chatd-chat-id': '{root.id}'" in of_root
    assert "x-chatd-child-chat-id" not in of_root
    assert f"'x-chatd-chat-id': '{root.id}'" in of_child
    assert "'x-chatd-child-chat-id': 'child-1'" in of_child
    assert "x-chatd" not in of_other
