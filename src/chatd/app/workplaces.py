"""Where agents work: workspaces, and connections to the MCP servers of chats."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from chatd.accounts.users import is_only_user
from chatd.app.catalogs import Catalogs
from chatd.app.confinement import confinement_of, database_files, places_of
from chatd.app.ground import Ground
from chatd.mcp.chat_servers import ChatServers
from chatd.mcp.connections.connections import Connections, open_connections
from chatd.mcp.connections.opening import wire_sessions
from chatd.mcp.prober import ServerProber
from chatd.mcp.workspace.servers import WorkspaceServers
from chatd.mcp.workspace.trust import TrustStore
from chatd.settings import Settings
from chatd.workspaces.access import WorkspaceAccess
from chatd.workspaces.local.checkpoints.all_checkpoints import AllCheckpoints
from chatd.workspaces.local.checkpoints.git import git_path
from chatd.workspaces.local.open_workspaces import OpenWorkspaces, open_workspaces
from chatd.workspaces.local.sandbox.confine import Confinement, offered_enclosure
from chatd.workspaces.places import Places

# In the data directory: what belongs to the workspaces, each in a directory of its own.
WORKSPACES = "workspaces"


class Bounds(Struct, frozen=True, kw_only=True):
    """Where agents may work, and what confines them there."""

    places: Places
    confinement: Confinement


class Workplaces(Struct, frozen=True, kw_only=True):
    places: Places
    workspaces: OpenWorkspaces
    access: WorkspaceAccess
    checkpoints: AllCheckpoints
    connections: Connections
    chat_servers: ChatServers
    prober: ServerProber

    async def end_processes(self) -> None:
        self.connections.end()
        await self.workspaces.end_processes()


def bounds_of(settings: Settings, settings_files: Sequence[Path]) -> Bounds:
    """Raises Misconfigured. Agents must not see the files that the settings were read from."""
    private = (*settings_files, *database_files(settings))
    return Bounds(places=places_of(settings, private), confinement=confinement_of(settings, private))


@asynccontextmanager
async def open_workplaces(
    settings: Settings, ground: Ground, catalogs: Catalogs, bounds: Bounds
) -> AsyncIterator[Workplaces]:
    """When the block ends, so have the processes that were started in it."""
    places, directory = bounds.places, settings.data_dir / WORKSPACES
    enclosure = await offered_enclosure(places, bounds.confinement)
    open_session = wire_sessions()
    async with AsyncExitStack() as opened:
        workspaces = await opened.enter_async_context(
            open_workspaces(directory, enclosure, bounds.confinement, ground.clock)
        )
        access = WorkspaceAccess(places, is_only_user=partial(is_only_user, ground.db), open_at=workspaces.at)
        connections = await opened.enter_async_context(open_connections(open_session, ground.clock))
        yield Workplaces(
            places=places,
            workspaces=workspaces,
            access=access,
            checkpoints=AllCheckpoints(git_path(), directory),
            connections=connections,
            chat_servers=ChatServers(
                connections=connections,
                servers_of=catalogs.mcp_servers.servers_of,
                workspace_at=access.to,
                workspace_servers=WorkspaceServers(
                    TrustStore(ground.db), private_addresses=settings.mcp_private_hosts
                ),
            ),
            prober=ServerProber(catalogs.mcp_servers.server, open_session, ground.clock),
        )
