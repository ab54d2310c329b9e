"""Servers that are programs of an administrator, and what is left of them when the server is killed."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tests.mcp.running import until

# Ignores that its input has ended, as some do, and leaves a child in a group of its own.
PROGRAM = "echo $$ > {0}/first; setsid sh -c 'echo $$ > {0}/second; exec sleep 1000' & wait"
HOST = """
import asyncio, sys
from chatd.catalog.mcp.server import McpServer, Transport
from chatd.mcp.connections.program import open_program

async def main():
    server = McpServer(id="x", slug="x", transport=Transport.STDIO, command=("sh", "-c", sys.argv[1]))
    async with open_program(server):
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def number_in(file: Path) -> int:
    """Another process writes it."""
    await until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


async def test_no_program_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    host = await asyncio.create_subprocess_exec(sys.executable, "-c", HOST, PROGRAM.format(tmp_path))
    try:
        first, second = await number_in(tmp_path / "first"), await number_in(tmp_path / "second")
    finally:
        host.kill()
        await host.wait()
    try:
        await until(lambda: _state(first) == _state(second) == "Z")
    finally:
        for process in (first, second):
            if _state(process) != "Z":
                os.kill(process, signal.SIGKILL)
