"""A real server whose chats have a workspace."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.workspaces.local.sandbox.confine import SandboxMode
from tests.journeys.server import Server, served
from tools.bubblewrap import find_program, works

both_ways = pytest.mark.parametrize("mode", [SandboxMode.REQUIRE, SandboxMode.OFF])


def environment(mode: SandboxMode) -> Mapping[str, str]:
    """Of a server that finds the sandbox of the tests, or needs none."""
    if mode is SandboxMode.OFF:
        return {"CHATD_SANDBOX": "off"}
    if not works(program := find_program()):
        pytest.skip("The sandbox was not tested: bubblewrap does not work here.")
    return {
        "CHATD_SANDBOX": "require",
        "PATH": f"{Path(program).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }


@asynccontextmanager
async def working(
    tmp_path: Path, env: Mapping[str, str], flags: Sequence[str] = ()
) -> AsyncIterator[tuple[Server, AsyncClient, Path]]:
    root = tmp_path / "project"
    root.mkdir()
    # Without approvals, unless the story is about them.
    env = {"CHATD_APPROVALS": "never", **env}
    flags = ["--workspace", str(root), *flags]
    async with served(tmp_path, flags, env) as server, server.client() as client:
        yield server, client, root


async def results(client: AsyncClient, chat_id: str) -> dict[str, Any]:
    """What each call of the chat came back with."""
    return {
        str(part.tool_call_id): part.result
        async for message in client.history(chat_id)
        for part in message.content
        if part.type == "tool-result"
    }
