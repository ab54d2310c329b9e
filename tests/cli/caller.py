"""The program as a caller of a server that runs in the test: a process, in a pipe or in a terminal."""

import asyncio
import os
import pty
import re
import shlex
import sys
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from tests.cli.program import environment_for
from tests.support.forkserver import own_terminal
from tests.support.served import Served

# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30

# Of the terminal that is typed at.
ROWS = 24

_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>78]|\x1b\][^\x07]*\x07")


class Ran(Struct, frozen=True):
    code: int | None
    output: str
    errors: str


class Reachable(Protocol):
    """A server in this process, or in one of its own."""

    @property
    def address(self) -> str: ...

    @property
    def token(self) -> str: ...


def _environment(home: Path, server: Reachable) -> dict[str, str]:
    there = {
        "CHATD_URL": server.address,
        "CHATD_TOKEN": server.token,
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    return environment_for(home, there)


async def begun(home: Path, server: Reachable, *arguments: str, given: str | None = "") -> Process:
    """A process with this on its standard input; with None, the test writes there itself."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chatd", *arguments,
        stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=home, env=_environment(home, server),
    )  # fmt: skip
    assert process.stdin is not None
    if given is not None:
        process.stdin.write(given.encode())
        process.stdin.close()
    return process


async def begun_in_shell(home: Path, server: Served, command: str) -> Process:
    """`chatd` as a shell starts it, with what a shell does to its standard input and output."""
    return await asyncio.create_subprocess_shell(
        f"exec {shlex.quote(sys.executable)} -m chatd {command}",
        stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=home, env=_environment(home, server),
    )  # fmt: skip


async def ran(home: Path, server: Reachable, *arguments: str, given: str = "") -> Ran:
    """Run it to its end."""
    return await ended(await begun(home, server, *arguments, given=given))


async def ended(process: Process) -> Ran:
    output, errors = await process.communicate()
    return Ran(process.returncode, output.decode(), errors.decode())


class Typing:
    """Somebody at a terminal."""

    def __init__(self, process: Process, handle: int) -> None:
        self.process = process
        self._handle = handle
        self._seen = b""
        self._more = asyncio.Event()
        self._over = False
        os.set_blocking(handle, False)
        asyncio.get_running_loop().add_reader(handle, self._look)

    def type(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    async def sees(self, words: str) -> str:
        """Wait until these words are on the screen, and forget what was there before them: the answer."""
        wanted = words.encode()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (at := self._seen.find(wanted)) < 0 and not self._over:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            at = -1
        assert at >= 0, f"{words!r} did not come; on the screen: {self._seen.decode()!r}"
        before, self._seen = self._seen[:at], self._seen[at + len(wanted) :]
        return before.decode()

    async def leaves(self) -> int:
        """Wait until it has ended by itself."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.process.wait()

    def end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)

    def _look(self) -> None:
        try:
            self._seen = _ESCAPES.sub(b"", self._seen + os.read(self._handle, 65536))
        except OSError:
            # That is how a terminal says that nobody is there any more.
            self._over = True
            asyncio.get_running_loop().remove_reader(self._handle)
        self._more.set()


@asynccontextmanager
async def typing(home: Path, server: Served, *arguments: str, columns: int = 80) -> AsyncIterator[Typing]:
    handle, inside = pty.openpty()
    termios.tcsetwinsize(handle, (ROWS, columns))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chatd", *arguments,
        stdin=inside, stdout=inside, stderr=inside, cwd=home, env=_environment(home, server),
        start_new_session=True, preexec_fn=own_terminal,
    )  # fmt: skip
    os.close(inside)
    person = Typing(process, handle)
    try:
        yield person
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        person.end()
