"""Lines from a pipe or a file, for scripts."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.typing.ending import Ended, Pressed, ctrl_c

LINE_BYTES_MAX = 1024 * 1024

T = TypeVar("T", bound="Pipe")


class Pipe:
    waits_at_end = True
    was_begun_before = False

    def __init__(self, lines: asyncio.StreamReader, pressed: asyncio.Event) -> None:
        self._lines = lines
        self._pressed = pressed
        self._held: bytes | None = None
        # Whether the last read has ended with a line.
        self.took_line = False

    async def read(self, question: str) -> str:  # noqa: ARG002 - a pipe shows no question
        self.took_line = False
        if (held := self._held) is not None:
            self._held, self.took_line = None, True
            return held.decode("utf-8", "replace")
        async with asyncio.TaskGroup() as group:
            line = group.create_task(self._lines.readline())
            press = group.create_task(self._pressed.wait())
            await asyncio.wait({line, press}, return_when=asyncio.FIRST_COMPLETED)
            line.cancel()
            press.cancel()
        if self._pressed.is_set():
            self._pressed.clear()
            # A line that came at the same moment is for later.
            self._held = line.result() or None if line.done() and not line.cancelled() else None
            raise Pressed
        if not line.result():
            raise Ended
        self.took_line = True
        return line.result().decode("utf-8", "replace")

    def make_room(self) -> None:
        pass

    def show(self, question: str, panel: Sequence[Row]) -> None:
        pass

    def type_in(self, text: str) -> None:
        pass

    def columns(self) -> int:
        return 80

    def print(self, rows: Sequence[Row]) -> None:
        pass

    def take_back(self, count: int) -> bool:  # noqa: ARG002
        return False

    def begin_with(self, text: str) -> None:
        pass


def _can_be_waited_for(descriptor: int) -> bool:
    """A file, or /dev/null, is all there already; uvloop would end the whole process over it."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _feed(lines: asyncio.StreamReader, descriptor: int) -> None:
    """From a terminal, which has a whole line when it has anything. As a pipe of asyncio it would not block
    any more, and neither would the standard output nor the shell behind us, which are the same terminal.
    """
    try:
        data = os.read(descriptor, LINE_BYTES_MAX)
    except OSError:
        # The terminal is gone.
        data = b""
    if data:
        lines.feed_data(data)
    else:
        asyncio.get_running_loop().remove_reader(descriptor)
        lines.feed_eof()


@asynccontextmanager
async def piped(kind: type[T]) -> AsyncIterator[T]:
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=LINE_BYTES_MAX)
    pressed = asyncio.Event()
    transport: asyncio.BaseTransport | None = None
    if os.isatty(sys.stdin.fileno()):
        loop.add_reader(sys.stdin.fileno(), _feed, lines, sys.stdin.fileno())
    elif _can_be_waited_for(sys.stdin.fileno()):
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    else:
        lines.feed_data(sys.stdin.buffer.read())
        lines.feed_eof()
    try:
        with ctrl_c(pressed.set):
            yield kind(lines, pressed)
    finally:
        if transport is not None:
            transport.close()
        else:
            loop.remove_reader(sys.stdin.fileno())
