"""A terminal with a shell in it, for one who follows a page and reads the screen."""

import asyncio
import os
import pty
import termios
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pyte

from tests.support.forkserver import own_terminal

# Nothing that is waited for takes as long as this.
PATIENCE_SECONDS = 30
# Wide enough for what commands print; with room for all of it, so that nothing scrolls away.
COLUMNS, ROWS = 132, 400

# Of the prompts of programs.
PROMPT_MAX = 16

# What the shell prints when it is ready for the next command. No page shows it.
READY = "[ready]"
LOCAL_FLAGS = 3  # in what `tcgetattr` returns

_WHERE = b"\x1b[6n"


class Screen(pyte.Screen):
    """Knows which rows go on in the next one because the line was too long."""

    def __init__(self) -> None:
        self.wrapped: set[int] = set()
        self._drawing = False
        super().__init__(COLUMNS, ROWS)

    def draw(self, data: str) -> None:
        self._drawing = True
        super().draw(data)
        self._drawing = False

    def linefeed(self) -> None:
        if self._drawing:
            self.wrapped.add(self.cursor.y)
        super().linefeed()

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:  # noqa: FBT001, FBT002 - as pyte has it
        self.wrapped.discard(self.cursor.y)
        super().erase_in_line(how, private)


class Terminal:
    def __init__(self, process: Process, handle: int, patience_seconds: float) -> None:
        self.process = process
        self._patience_seconds = patience_seconds
        self._handle = handle
        self._screen = Screen()
        self._emulator = pyte.ByteStream(self._screen)
        self._more = asyncio.Event()
        self._over = False
        # The row in which the output of the newest command begins.
        self._from = 0
        os.set_blocking(handle, False)
        asyncio.get_running_loop().add_reader(handle, self._look)

    def type(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    def enter(self, command: str) -> None:
        """Type a command of one line or several."""
        self._from = self._screen.cursor.y + 1 + command.count("\n")
        self.type(command + "\n")

    def is_ready(self) -> bool:
        """Whether the shell waits for a command. What was printed before need not end with a line break."""
        lines = self._lines(self._screen.cursor.y + 1)
        return bool(lines) and lines[-1].endswith(READY)

    def asks(self) -> bool:
        """Whether a program waits for a line."""
        return self._rows()[self._screen.cursor.y].startswith(">")

    def asks_meanwhile(self) -> bool:
        """Whether it takes one, and is still at work: then its prompt is a longer one."""
        return ">" in self._rows()[self._screen.cursor.y][:PROMPT_MAX]

    def output(self) -> list[str]:
        """What the newest command has printed so far."""
        lines = self._lines()
        while lines and not lines[-1]:
            lines.pop()
        if lines:
            lines[-1] = lines[-1].removesuffix(READY)
        return lines if lines and lines[-1] else lines[:-1]

    def _lines(self, end: int | None = None) -> list[str]:
        """Down to the row `end`. Lines that the screen broke are whole again."""
        lines: list[str] = []
        goes_on = False
        for at, row in enumerate(self._rows()[self._from : end], self._from):
            if goes_on:
                lines[-1] += row
            else:
                lines.append(row)
            goes_on = at in self._screen.wrapped
        return [line.rstrip() for line in lines]

    async def wait_until(self, happened: Callable[[], bool]) -> bool:
        """Whether it has happened before patience was at its end."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                while not happened() and not self._over:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            pass
        return happened()

    def end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)

    def _rows(self) -> list[str]:
        """As far down as something was written, and to where the cursor is."""
        written = self._screen.buffer
        last = max(self._screen.cursor.y, *written, 0)
        return [_text(written[at]) if at in written else "" for at in range(last + 1)]

    def _look(self) -> None:
        try:
            read = os.read(self._handle, 65536)
        except OSError:
            # That is how a terminal says that nobody is there any more.
            self._over = True
            asyncio.get_running_loop().remove_reader(self._handle)
        else:
            self._emulator.feed(read)
            if _WHERE in read:
                # As terminals answer the question where the cursor is.
                self.type(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        self._more.set()


def _text(row: Mapping[int, pyte.screens.Char]) -> str:
    """Behind a wide character the emulator has an empty cell."""
    return "".join(row[at].data for at in range(max(row, default=-1) + 1))


@asynccontextmanager
async def terminal(
    directory: Path, environment: Mapping[str, str], patience_seconds: float
) -> AsyncIterator[Terminal]:
    """A shell of its own, and all that it has started is gone with the block."""
    handle, inside = pty.openpty()
    termios.tcsetwinsize(handle, (ROWS, COLUMNS))
    _show_only_ends_of_lines(inside)
    process = await asyncio.create_subprocess_exec(
        "bash", "--noprofile", "--norc", "--noediting",
        stdin=inside, stdout=inside, stderr=inside, cwd=directory,
        env={**environment, "PS1": READY, "PS2": ""},
        start_new_session=True, preexec_fn=own_terminal,
    )  # fmt: skip
    os.close(inside)
    here = Terminal(process, handle, patience_seconds)
    try:
        assert await here.wait_until(here.is_ready), "the shell does not start"
        yield here
    finally:
        # What runs in it hears a hang-up when its terminal is gone, and ends; the shell does, too.
        here.end()
        await process.wait()


def _show_only_ends_of_lines(handle: int) -> None:
    """So that what is typed is not taken for what is printed."""
    attributes = termios.tcgetattr(handle)
    attributes[LOCAL_FLAGS] = attributes[LOCAL_FLAGS] & ~termios.ECHO | termios.ECHONL
    termios.tcsetattr(handle, termios.TCSANOW, attributes)
