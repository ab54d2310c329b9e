"""The MCP servers of a workspace: read from its file, and connected to when a user trusts it."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from chatd.catalog.mcp.server import McpServer, Transport
from chatd.domain.ids import UserId
from chatd.mcp.tools.names import cleaned
from chatd.mcp.tools.tool import Wanted
from chatd.mcp.workspace.declaration import (
    FILE,
    FILE_BYTES_MAX,
    BadDeclaration,
    Declaration,
    DeclaredServer,
    expanded,
    read_declaration,
)
from chatd.mcp.workspace.trust import TrustStore
from chatd.workspaces.files import FileError, Problem
from chatd.workspaces.pipes import Program
from chatd.workspaces.workspace import Workspace

# Programs of a workspace may have to be fetched before they run.
CONNECT_SECONDS = 30.0

NOT_TRUSTED = (
    f"It is declared in the {FILE} of the workspace, which the user has not trusted yet. They can look at it "
    "and trust it with `chatd mcp trust`."
)


class Declared(Struct, frozen=True, kw_only=True):
    """What a workspace declares, and whether a user trusts it."""

    root: str
    # None: it declares nothing, or nothing that can be read.
    declaration: Declaration | None = None
    trusted: bool = False
    # Why the file cannot be used.
    problem: str | None = None


class WorkspaceServers:
    def __init__(self, trust: TrustStore, *, private_addresses: bool) -> None:
        self.trust = trust
        self._private_addresses = private_addresses

    async def declared(self, user_id: UserId, workspace: Workspace) -> Declared:
        root = workspace.files.root
        try:
            piece = await workspace.files.read(FILE, limit=FILE_BYTES_MAX + 1)
            declaration = read_declaration(piece.data)
        except FileError as error:
            return Declared(root=root, problem=None if error.problem is Problem.MISSING else str(error))
        except BadDeclaration as error:
            return Declared(root=root, problem=str(error))
        trusted = await self.trust.digest_of(user_id, root) == declaration.digest
        return Declared(root=root, declaration=declaration, trusted=trusted)

    def wanted(self, declared: Declared, workspace: Workspace) -> Sequence[Wanted]:
        """Those that can be connected to: none as long as the user does not trust the file."""
        if declared.declaration is None or not declared.trusted:
            return ()
        found = (self._wanted(each, declared.root, workspace) for each in declared.declaration.servers)
        return [each for each in found if each is not None]

    def _wanted(self, server: DeclaredServer, root: str, workspace: Workspace) -> Wanted | None:
        try:
            filled = expanded(server, workspace.processes.environment())
        except BadDeclaration:
            return None
        program = Program(command=filled.command, env=filled.env)
        is_program = filled.transport is Transport.STDIO
        return Wanted(
            server=McpServer(
                id=id_of(root, server.name),
                slug=server.name,
                transport=filled.transport,
                url=filled.url,
                headers=filled.headers,
                command=filled.command,
                env=filled.env,
                private_addresses=self._private_addresses,
                connect_seconds=CONNECT_SECONDS,
            ),
            open_pipes=partial(workspace.processes.piped, program) if is_program else None,
            # Without its directory: parts are read by all viewers of a chat.
            known_as=f"workspace:{server.name}",
        )

    def absent(self, declared: Declared, workspace: Workspace) -> dict[str, str]:
        """Why servers that are declared are not there, by what the names of their tools would begin with."""
        if declared.declaration is None:
            return {}
        reasons = {
            cleaned(each.name): reason
            for each in declared.declaration.servers
            if (reason := _problem_of(each, declared, workspace)) is not None
        }
        problems = {cleaned(name): reason for name, reason in declared.declaration.problems.items()}
        return {**problems, **reasons}


def id_of(root: str, name: str) -> str:
    return f"workspace:{root}:{name}"


def _problem_of(server: DeclaredServer, declared: Declared, workspace: Workspace) -> str | None:
    if not declared.trusted:
        return NOT_TRUSTED
    try:
        expanded(server, workspace.processes.environment())
    except BadDeclaration as error:
        return str(error)
    return None
