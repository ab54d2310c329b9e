"""Servers that an administrator declares as a program: children of this process, as they are configured.

They are not confined: that is for the administrator to do. They get nothing of the server's environment but
what every program needs, so that no key of a provider reaches them by accident. Each has a guardian, which
ends it and what it has started also when this process is killed.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from chatd.catalog.mcp.server import McpServer
from chatd.workspaces.local.processes.child import start_child
from chatd.workspaces.local.processes.guardian import guardian
from chatd.workspaces.local.processes.piped import spoken_to
from chatd.workspaces.pipes import Pipes

ALLOWED = frozenset({"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"})


def open_program(
    server: McpServer, environment: Mapping[str, str] = os.environ
) -> AbstractAsyncContextManager[Pipes]:
    """Raises CannotStart."""
    inherited = {name: value for name, value in environment.items() if name in ALLOWED}
    return _opened(server.command, {**inherited, **server.env})


@asynccontextmanager
async def _opened(command: tuple[str, ...], env: Mapping[str, str]) -> AsyncIterator[Pipes]:
    async with guardian() as watching:
        child = await start_child(command, env={**env, **watching.marks}, takes_input=True, errors_apart=True)
        watching.watch(child.group)
        async with spoken_to(child) as pipes:
            yield pipes
