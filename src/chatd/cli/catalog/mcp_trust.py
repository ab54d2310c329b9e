"""chatd mcp trust: look at the MCP servers that a workspace declares, and let chats start them."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import DeclaredMcpServer, WorkspaceMcpServers
from chatd.errors import Unusable

STATUSES = {
    "waiting_for_trust": "waits for your trust",
    "not_connected": "is used when a chat needs it",
    "connected": "is connected",
    "unusable": "cannot be used",
}


def trust(*, directory: str | None, yes: bool, withdraw: bool, as_json: bool, **flags: object) -> None:
    # A directory on this machine; without one, that of the server.
    workspace = str(Path(directory).resolve()) if directory else "."
    client = client_from(flags)
    if withdraw:
        run_loop(_withdraw(client, workspace))
        say("Its servers are not trusted any more. Those that run are not used any more.")
        return
    found = run_loop(_look(client, workspace))
    if not as_json:
        for line in _lines(found):
            say(line)
    if found.digest is not None and not found.trusted and (yes or _is_wanted(as_json=as_json)):
        found = run_loop(_trust(client_from(flags), found.digest, workspace))
        if not as_json:
            say("Trusted, as long as the file stays as it is.")
    if as_json:
        say_json(found)


def _is_wanted(*, as_json: bool) -> bool:
    """A script that reads JSON says so with --yes."""
    if not as_json and not sys.stdin.isatty():
        raise Unusable("Nothing was trusted: there is no terminal to ask on. Pass --yes to trust it.")
    return not as_json and click.confirm("Do you trust these servers?", default=False)


def _lines(found: WorkspaceMcpServers) -> Iterator[str]:
    yield f"MCP servers of {found.workspace}:"
    if found.problem is not None:
        raise Unusable(f".mcp.json in {found.workspace} cannot be used. {found.problem}")
    if found.digest is None:
        yield "  There is no .mcp.json."
    for server in found.servers:
        yield f"  {server.name} {STATUSES.get(server.status, server.status)}."
        yield from (f"    {line}" for line in _details(server))
    if any(server.command for server in found.servers) and not found.trusted:
        yield "Programs among them run in the workspace, with what its commands may do."


def _details(server: DeclaredMcpServer) -> Iterator[str]:
    if server.problem:
        yield server.problem
    if server.command:
        yield f"runs    {shlex.join(server.command)}"
    if server.url:
        yield f"calls   {server.url}"
    if server.env_names:
        yield f"sets    {', '.join(server.env_names)}"
    if server.header_names:
        yield f"sends   {', '.join(server.header_names)}"


async def _look(client: AsyncClient, workspace: str) -> WorkspaceMcpServers:
    async with client:
        return await client.workspace_mcp_servers(workspace)


async def _trust(client: AsyncClient, digest: str, workspace: str) -> WorkspaceMcpServers:
    async with client:
        return await client.trust_workspace_mcp_servers(digest, workspace)


async def _withdraw(client: AsyncClient, workspace: str) -> None:
    async with client:
        await client.distrust_workspace_mcp_servers(workspace)
