"""A real server process for stories told over HTTP: started, killed and started again."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

from chatd.client.answers import Chat
from chatd.client.asynchronous import AsyncClient
from chatd.client.events import PartSpoken

READY = "chatd ready at "
# Generous, and only ever waited for when something is broken.
PATIENCE_SECONDS = 60
# How many requests there are in a minute depends on how fast the machine is.
NO_LIMIT = {"CHATD_REQUESTS_PER_MINUTE": "0"}
NOTHING: Mapping[str, str] = MappingProxyType({})


class Server:
    """One data directory, and at most one process that serves it."""

    def __init__(
        self,
        folder: Path,
        flags: Sequence[str] = (),
        env: Mapping[str, str] = NOTHING,
        command: str = "serve",
    ) -> None:
        self.folder = folder
        self.command = command
        self.flags, self.env = flags, env
        self.rehearsals = folder / "rehearsals.log"
        self.log = folder / "server.log"
        self._process: asyncio.subprocess.Process | None = None
        self._address = ""
        # Set while there is somebody to talk to.
        self.up = asyncio.Event()
        self.kills = 0

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "chatd",
                self.command,
                "--port",
                # The same one after a restart, as an operator would have it.
                self._address.rpartition(":")[2] or "0",
                "--data-dir",
                str(self.folder / "data"),
                *self.flags,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, **NO_LIMIT, "CHATD_REHEARSAL_LOG": str(self.rehearsals), **self.env},
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = (await self._process.stdout.readline()).decode()
        assert line.startswith(READY), f"the server said {line!r}; its log is {self.log}"
        self._address = line.removeprefix(READY).strip()
        self.up.set()

    async def kill(self) -> None:
        """Kill -9: nothing of the process runs any more, not even its cleaning up."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> int:
        """As an operator stops it."""
        return await self._end(signal.SIGTERM)

    def pause(self) -> None:
        """The process stands still and keeps its connections, as on a machine that is out of breath."""
        self.up.clear()
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)
        self.up.set()

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def _end(self, how: signal.Signals) -> int:
        if self._process is None:
            return 0
        self.up.clear()
        self._process.send_signal(how)
        async with asyncio.timeout(PATIENCE_SECONDS):
            code = await self._process.wait()
        # The transport of a pipe is closed with its last byte, not with the process.
        assert self._process.stdout is not None
        await self._process.stdout.read()
        self._process = None
        return code

    @property
    def address(self) -> str:
        return self._address

    @property
    def token(self) -> str:
        return (self.folder / "data" / "admin-token").read_text().strip()

    def client(self) -> AsyncClient:
        return AsyncClient(self._address, self.token)

    async def until_ran(self, tool: str) -> None:
        """The file is written by another process, so there is nothing to wait for but its contents."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not self.ran(tool):  # noqa: ASYNC110 - nobody here could set an event
                await asyncio.sleep(0)

    def ran(self, tool: str) -> list[str]:
        """What this tool did, in all processes."""
        if not self.rehearsals.exists():
            return []
        return [line for line in self.rehearsals.read_text().splitlines() if line.startswith(tool + " ")]


@asynccontextmanager
async def served(
    folder: Path, flags: Sequence[str] = (), env: Mapping[str, str] = NOTHING
) -> AsyncIterator[Server]:
    server = Server(folder, flags, env)
    await server.start()
    try:
        yield server
    finally:
        await server.kill()


async def until(client: AsyncClient, chat_id: str, condition: Callable[[Chat], bool]) -> Chat:
    """Follow the chat until it is so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for event in client.stream(chat_id):
            if isinstance(event, PartSpoken):
                continue  # Only what is saved can change what the chat is.
            chat = await client.chat(chat_id)
            if condition(chat):
                return chat
    raise AssertionError("the stream ended")


def is_idle(chat: Chat) -> bool:
    return chat.status == "waiting"


async def transcript(client: AsyncClient, chat_id: str) -> list[str]:
    lines = []
    async for message in client.history(chat_id):
        pieces = []
        for part in message.content:
            match part.type:
                case "text" | "reasoning":
                    pieces.append(part.text or "")
                case "tool-call":
                    pieces.append(f"calls {part.tool_call_id}")
                case "tool-result":
                    pieces.append(f"{part.tool_call_id} {'failed' if part.is_error else 'answered'}")
                case other:
                    pieces.append(other)
        lines.append(f"{message.role}: {', '.join(pieces)}")
    return lines
