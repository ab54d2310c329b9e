"""The program as a caller of a server that runs in the test: a process, in a pipe or in a terminal."""

import asyncio
import os
import pty
import re
import shlex
import signal
import sys
import termios
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import pyte
from msgspec import Struct

from tests.cli.picture import keep_picture
from tests.cli.program import environment_for
from tests.support.forkserver import own_terminal
from tests.support.pseudo_terminal import Screen, Size, draw
from tests.support.served import Served

# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30

PRESSES_MAX = 20
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


def _environment(home: Path, server: Reachable, more: Mapping[str, str] | None = None) -> dict[str, str]:
    there = {
        "CHATD_URL": server.address,
        "CHATD_TOKEN": server.token,
        "TERM": "xterm",
    }
    return environment_for(home, there | dict(more or {}))


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


async def begun_in_shell(home: Path, server: Served, command: str, *, read_by: str = "") -> Process:
    """`chatd` as a shell starts it, with what a shell does to its standard input and output. With what reads
    it, the shell tells the exit code on the standard error.
    """
    line = f"{shlex.quote(sys.executable)} -m chatd {command}"
    return await asyncio.create_subprocess_shell(
        f"{{ {line}; echo $? >&2; }} | {read_by}" if read_by else f"exec {line}",
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

    def __init__(self, process: Process, handle: int, columns: int, rows: int) -> None:
        self.process = process
        self._handle = handle
        self._screen = Screen(Size(columns, rows))
        self._emulator = pyte.ByteStream(self._screen)
        self._seen = b""
        self._more = asyncio.Event()
        self._over = False
        # Whether anything was sent that moves the cursor, or is otherwise no text.
        self.was_commanded = False
        # Of the terminal, when it is asked where the cursor is: at once, or when the test says so.
        self._answers: list[str] = []
        self.answers_late = False
        os.set_blocking(handle, False)
        asyncio.get_running_loop().add_reader(handle, self._look)

    def answer(self) -> None:
        """What was asked first."""
        self.type(self._answers.pop(0))

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

    async def shows(self, *lines: str) -> None:
        """Wait until these lines are on the screen, one below the other."""
        await self.until(lambda: self._has(lines), lines)

    async def matches(self, *patterns: str) -> None:
        """The same with regular expressions, each for a whole line."""
        await self.until(lambda: self._fits(patterns), patterns)

    async def hides(self, words: str) -> None:
        """Wait until these words are not on the screen."""
        await self.until(lambda: not any(words in line for line in self.lines()), (words,))

    async def until(self, reached: Callable[[], bool], wanted: tuple[str, ...]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not reached() and not self._over:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            pass
        assert reached(), "\n".join(["Wanted:", *wanted, "On the screen is:", *self.lines()])

    def _fits(self, patterns: tuple[str, ...]) -> bool:
        lines, count = self.lines(), len(patterns)
        return any(
            all(map(re.fullmatch, patterns, lines[at : at + count])) for at in range(len(lines) - count + 1)
        )

    def keep_picture(self, name: str) -> None:
        """To be looked at."""
        keep_picture(self._screen, name)

    def looks(self, words: str) -> str:
        """The colour in which these words are shown, and whether they are bold."""
        for y, line in enumerate(self._screen.display):
            if (x := line.find(words)) >= 0:
                cell = self._screen.buffer[y][x]
                return f"{cell.fg}{' bold' if cell.bold else ''}"
        raise AssertionError(f"{words!r} is not on the screen:\n" + "\n".join(self.lines()))

    def lines(self) -> list[str]:
        """The screen as a person sees it."""
        # Behind a wide character the emulator has an empty cell.
        return [line.rstrip() for line in self._screen.display]

    def resize(self, columns: int) -> None:
        rows = self._screen.lines
        self._screen.resize(rows, columns)
        termios.tcsetwinsize(self._handle, (rows, columns))
        self.process.send_signal(signal.SIGWINCH)

    def _has(self, lines: tuple[str, ...]) -> bool:
        shown = self.lines()
        return any(tuple(shown[at : at + len(lines)]) == lines for at in range(len(shown)))

    async def presses(self, key: str, *lines: str) -> None:
        """Press a key until these lines are shown."""
        for _ in range(PRESSES_MAX):
            self.type(key)
            self._more.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    while not self._has(lines):
                        self._more.clear()
                        await self._more.wait()
                    return
        await self.shows(*lines)

    async def leaves(self) -> int:
        """Wait until it has ended by itself."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.process.wait()

    def end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)

    def _look(self) -> None:
        try:
            read = os.read(self._handle, 65536)
            self.was_commanded = self.was_commanded or b"\x1b" in read
            self._answers += draw(self._emulator, self._screen, read)
            while self._answers and not self.answers_late:
                self.answer()
            self._seen = _ESCAPES.sub(b"", self._seen + read)
        except OSError:
            # That is how a terminal says that nobody is there any more.
            self._over = True
            asyncio.get_running_loop().remove_reader(self._handle)
        self._more.set()


@asynccontextmanager
async def typing(
    home: Path,
    server: Reachable,
    *arguments: str,
    columns: int = 80,
    rows: int = ROWS,
    more: Mapping[str, str] | None = None,
) -> AsyncIterator[Typing]:
    handle, inside = pty.openpty()
    termios.tcsetwinsize(handle, (rows, columns))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chatd", *arguments,
        stdin=inside, stdout=inside, stderr=inside, cwd=home, env=_environment(home, server, more),
        start_new_session=True, preexec_fn=own_terminal,
    )  # fmt: skip
    os.close(inside)
    person = Typing(process, handle, columns, rows)
    try:
        yield person
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        person.keep_picture("at-the-end")
        person.end()
