"""A server of its own with the scripted model and a workspace, and a person at a terminal beside it."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.cli.caller import Typing, typing
from tests.cli.program import READY, environment_for
from tests.cli.talk.screens.words import ROWS

PATIENCE_SECONDS = 60
# For a paste that is taken for one, as terminals mark it.
BEGIN_PASTE, END_PASTE = "\x1b[200~", "\x1b[201~"


class Server:
    """Can be killed and started again: on the same data, at the same address or at another port."""

    def __init__(self, home: Path, settings: Mapping[str, str]) -> None:
        self._home = home
        self._settings = settings
        self._process: Process | None = None
        self._port = "0"
        self.address = ""
        self.workspace = home / "workspace"

    @property
    def token(self) -> str:
        return (self._home / "data" / "admin-token").read_text().strip()

    async def start(self, *, elsewhere: bool = False) -> None:
        port = "0" if elsewhere else self._port
        self.workspace.mkdir(exist_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "chatd", "serve", "--port", port,
            "--data-dir", str(self._home / "data"), "--workspace", str(self.workspace),
            stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, cwd=self._home,
            env=environment_for(self._home, self._settings),
        )  # fmt: skip
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = (await self._process.stdout.readline()).decode()
        assert line.startswith(READY), line
        self.address = line.removeprefix(READY).strip()
        self._port = self.address.rpartition(":")[2]

    async def kill(self) -> None:
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGKILL)
            await self._process.wait()
            self._process = None


@asynccontextmanager
async def a_server(home: Path, **settings: str) -> AsyncIterator[Server]:
    """Without a sandbox, so that each command is asked for on every machine."""
    server = Server(home, {"CHATD_SANDBOX": "off", **settings})
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


@asynccontextmanager
async def talking(
    home: Path, *arguments: str, columns: int = 80, rows: int = ROWS, **settings: str
) -> AsyncIterator[tuple[Server, Typing]]:
    """A server, and a person whose terminal shows the prompt."""
    async with (
        a_server(home, **settings) as server,
        typing(home, server, "chat", *arguments, columns=columns, rows=rows) as person,
    ):
        await person.shows(">")
        yield server, person


def says(person: Typing, *script: str) -> None:
    """Paste the lines, and send them."""
    person.type(f"{BEGIN_PASTE}{chr(10).join(script)}{END_PASTE}\r")


def calls(tool: str, **args: object) -> str:
    """A line of a script."""
    return f"call {tool} {json.dumps(args)}"
