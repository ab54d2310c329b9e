"""MCP servers that a workspace declares: what a user sees of them before and after they trust the file."""

from collections.abc import Mapping

from msgspec.structs import replace

from chatd.api.bodies import Nothing
from chatd.api.chats.workspace.trust_bodies import (
    DeclaredServerView,
    NamedWorkspace,
    ServerStatus,
    TrustServers,
    WorkspaceServersView,
)
from chatd.api.chats.workspace.workspace import workspace_of
from chatd.api.router import Asked, B, Q
from chatd.domain.ids import UserId
from chatd.errors import NotAllowed, NotFound
from chatd.mcp.chat_servers import ChatServers
from chatd.mcp.connections.connections import ServerState
from chatd.mcp.tools.names import cleaned
from chatd.mcp.workspace.declaration import FILE, DeclaredServer
from chatd.mcp.workspace.servers import Declared
from chatd.workspaces.workspace import Workspace, WorkspaceUnusable


async def show(asked: Asked[NamedWorkspace, Nothing]) -> WorkspaceServersView:
    chat_servers, workspace = await _opened(asked, asked.query.workspace)
    return await _view(asked.user.id, chat_servers, workspace)


async def trust(asked: Asked[Nothing, TrustServers]) -> WorkspaceServersView:
    """Only what the user has seen: the digest must be that of the file as it is now."""
    chat_servers, workspace = await _opened(asked, asked.body.workspace)
    servers, user_id = chat_servers.workspace_servers, asked.user.id
    declared = await servers.declared(user_id, workspace)
    if declared.declaration is None:
        raise NotFound("no_mcp_declaration", f"There is no {FILE} that can be read in {declared.root}.")
    if declared.declaration.digest != asked.body.digest:
        raise NotAllowed(
            "mcp_declaration_changed",
            f"{FILE} is not the file that you have seen.",
            field="digest",
            hint="Look at it again, and trust what it declares now.",
        )
    await servers.trust.trust(user_id, declared.root, declared.declaration.digest)
    return await _view(user_id, chat_servers, workspace)


async def withdraw(asked: Asked[NamedWorkspace, Nothing]) -> None:
    chat_servers, workspace = await _opened(asked, asked.query.workspace)
    await chat_servers.workspace_servers.trust.withdraw(asked.user.id, workspace.files.root)


async def _opened(asked: Asked[Q, B], wanted: str) -> tuple[ChatServers, Workspace]:
    chat_servers = asked.server.chat_servers
    directory = await workspace_of(asked.server, wanted)
    assert directory is not None, "a directory was named"
    if chat_servers is None:
        raise NotAllowed("workspace_unusable", "This process opens no workspaces.")
    try:
        return chat_servers, await chat_servers.workspace_at(directory)
    except WorkspaceUnusable as error:
        raise NotAllowed("workspace_unusable", str(error)) from error


async def _view(user_id: UserId, chat_servers: ChatServers, workspace: Workspace) -> WorkspaceServersView:
    servers = chat_servers.workspace_servers
    declared = await servers.declared(user_id, workspace)
    found = declared.declaration
    if found is None:
        return WorkspaceServersView(workspace=declared.root, problem=declared.problem)
    problems = servers.absent(declared, workspace)
    wanted = {each.server.slug: each.server for each in servers.wanted(declared, workspace)}
    states = {name: chat_servers.connections.state_of(user_id, server) for name, server in wanted.items()}
    return WorkspaceServersView(
        workspace=declared.root,
        digest=found.digest,
        trusted=declared.trusted,
        servers=(
            *(_server(each, states.get(each.name), problems, declared) for each in found.servers),
            *(_broken(name, problem) for name, problem in found.problems.items()),
        ),
    )


def _broken(name: str, problem: str) -> DeclaredServerView:
    return DeclaredServerView(name=name, status=ServerStatus.UNUSABLE, problem=problem)


def _server(
    server: DeclaredServer, state: ServerState | None, problems: Mapping[str, str], declared: Declared
) -> DeclaredServerView:
    view = DeclaredServerView(
        name=server.name,
        status=ServerStatus.WAITING_FOR_TRUST,
        transport=server.transport,
        command=server.command,
        url=server.url,
        env_names=tuple(server.env),
        header_names=tuple(server.headers),
    )
    if not declared.trusted:
        return view
    problem = problems.get(cleaned(server.name)) or (state.problem if state is not None else None)
    if problem is not None or state is None:
        return replace(view, status=ServerStatus.UNUSABLE, problem=problem)
    status = ServerStatus.CONNECTED if state.connected else ServerStatus.NOT_CONNECTED
    return replace(view, status=status, tools=state.tools)
