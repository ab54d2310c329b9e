"""A program in a terminal that is emulated: what is typed reaches it, and what it draws is a screen."""

import asyncio
import os
import pty
import termios
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyte
from pyte.screens import Char

from tests.support.forkserver import own_terminal

LOCAL_FLAGS = 3  # in what `tcgetattr` returns
DIM, NEITHER_BOLD_NOR_DIM = 2, 22
GREY = "brightblack"

_WHERE = b"\x1b[6n"


class Size(NamedTuple):
    columns: int
    rows: int


class Screen(pyte.Screen):
    """Knows which rows go on in the next one because the line was too long. What is dim is grey here."""

    def __init__(self, size: Size) -> None:
        self.wrapped: set[int] = set()
        self._drawing = False
        super().__init__(size.columns, size.rows)

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

    def select_graphic_rendition(self, *attrs: int) -> None:
        super().select_graphic_rendition(*attrs)
        # Behind 38 and 48 such a number is a colour.
        if attrs[:1] == (DIM,) or attrs[1:2] == (DIM,):
            self.cursor.attrs = self.cursor.attrs._replace(fg=GREY)
        elif NEITHER_BOLD_NOR_DIM in attrs and self.cursor.attrs.fg == GREY:
            self.cursor.attrs = self.cursor.attrs._replace(fg="default")


def draw(emulator: pyte.ByteStream, screen: Screen, written: bytes) -> Iterator[str]:
    """What a terminal answers: where the cursor is, at each moment at which it is asked."""
    *asked, rest = written.split(_WHERE)
    for before in asked:
        emulator.feed(before)
        yield f"\x1b[{screen.cursor.y + 1};{screen.cursor.x + 1}R"
    emulator.feed(rest)


class PseudoTerminal:
    """Somebody types, and looks at the screen."""

    def __init__(self, process: Process, handle: int, size: Size) -> None:
        self.process = process
        self.screen = Screen(size)
        self._handle = handle
        self._emulator = pyte.ByteStream(self.screen)
        self._more = asyncio.Event()
        self._over = False
        os.set_blocking(handle, False)
        asyncio.get_running_loop().add_reader(handle, self._look)

    def type(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    def rows(self) -> list[str]:
        """As far down as something was written, and to where the cursor is."""
        written = self.screen.buffer
        last = max(self.screen.cursor.y, *written, 0)
        return [_text(written[at]) if at in written else "" for at in range(last + 1)]

    async def wait_until(self, happened: Callable[[], bool], patience_seconds: float) -> bool:
        """Whether it has happened before patience was at its end."""
        try:
            async with asyncio.timeout(patience_seconds):
                while not happened() and not self._over:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            pass
        return happened()

    def end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)

    def changed(self) -> None:
        """Called whenever something was drawn."""

    def _look(self) -> None:
        try:
            read = os.read(self._handle, 65536)
        except OSError:
            # That is how a terminal says that nobody is there any more.
            self._over = True
            asyncio.get_running_loop().remove_reader(self._handle)
        else:
            for answer in draw(self._emulator, self.screen, read):
                self.type(answer)
            self.changed()
        self._more.set()


Made = TypeVar("Made", bound=PseudoTerminal)


@asynccontextmanager
async def in_terminal(
    make: Callable[[Process, int, Size], Made],
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    size: Size,
    *,
    echo: bool = True,
) -> AsyncIterator[Made]:
    """When the block ends, the terminal is gone: what runs in it hears a hang-up, and ends.

    Without `echo` only the ends of lines are shown that are typed before a program asks for them.
    """
    handle, inside = pty.openpty()
    termios.tcsetwinsize(handle, (size.rows, size.columns))
    if not echo:
        _show_only_ends_of_lines(inside)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=inside, stdout=inside, stderr=inside, cwd=directory, env=dict(environment),
        start_new_session=True, preexec_fn=own_terminal,
    )  # fmt: skip
    os.close(inside)
    made = make(process, handle, size)
    try:
        yield made
    finally:
        made.end()
        await process.wait()


def _show_only_ends_of_lines(handle: int) -> None:
    attributes = termios.tcgetattr(handle)
    attributes[LOCAL_FLAGS] = attributes[LOCAL_FLAGS] & ~termios.ECHO | termios.ECHONL
    termios.tcsetattr(handle, termios.TCSANOW, attributes)


def _text(row: Mapping[int, Char]) -> str:
    """Behind a wide character the emulator has an empty cell."""
    return "".join(row[at].data for at in range(max(row, default=-1) + 1))
