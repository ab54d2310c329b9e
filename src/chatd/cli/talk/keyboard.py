"""Where lines come from: a person at a terminal, or a pipe."""

import asyncio
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, redirect_stderr, redirect_stdout
from typing import Protocol, TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.patch_stdout import StdoutProxy

LINE_BYTES_MAX = 1024 * 1024
# Rows that are complete are drawn above the prompt together, this often. prompt_toolkit would take 0.2 s, in
# which a row that is complete cannot be seen.
REDRAWN_SECONDS = 0.03


class Pressed(Exception):
    """No error: the user pressed Ctrl-C."""


class Ended(Exception):
    """No error: there are no more lines."""


class Keyboard(Protocol):
    # Whether the answer to the last line is still wanted when there are no more.
    waits_at_end: bool
    # Whether the last line was begun under another question than the one under which it was ended.
    was_begun_before: bool

    def columns(self) -> int | None:
        """How wide the screen is; None where lines may be of any length."""
        ...

    async def read(self, question: str) -> str:
        """The next line. Raises Pressed and Ended."""
        ...

    def show(self, question: str, being_said: str) -> None:
        """What is asked has changed, or what is being said."""
        ...


@asynccontextmanager
async def keyboard() -> AsyncIterator[Keyboard]:
    if sys.stdin.isatty() and sys.stdout.isatty():
        with _printing_above_the_prompt():
            terminal = Terminal()
            with _signals(terminal.press):
                yield terminal
    else:
        async with _piped() as pipe:
            yield pipe


@contextmanager
def _printing_above_the_prompt() -> Iterator[None]:
    with StdoutProxy(sleep_between_writes=REDRAWN_SECONDS, raw=True) as proxy:
        output = cast("TextIO", proxy)
        with redirect_stdout(output), redirect_stderr(output):
            yield


@contextmanager
def _signals(press: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C is ours at every moment, also between two lines: it stops the agent and not the program.

    At the end it is ignored for good: users who press twice to leave often press once more, and Python
    would raise KeyboardInterrupt in a program that ends well. So it is no handler of the loop: removing
    one of those puts Python's own back.
    """
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(press))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Terminal:
    """A line to type on, below what is printed; above it the row that the agent has not finished."""

    waits_at_end = False

    def __init__(self) -> None:
        # What was typed is shown as part of the chat, when the chat has it.
        self._session: PromptSession[str] = PromptSession(erase_when_done=True)
        self._question = ""
        self._being_said = ""
        self._pressed = False
        self.was_begun_before = False

    def columns(self) -> int:
        return self._session.output.get_size().columns

    def press(self) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(exception=KeyboardInterrupt)
        else:
            self._pressed = True

    async def read(self, question: str) -> str:
        self._question = question
        self.was_begun_before = False
        if self._pressed:
            self._pressed = False
            raise Pressed
        try:
            return await self._session.prompt_async(self._message, handle_sigint=False)
        except KeyboardInterrupt as error:
            raise Pressed from error
        except EOFError as error:
            raise Ended from error

    def show(self, question: str, being_said: str) -> None:
        if question != self._question and self._session.default_buffer.text:
            self.was_begun_before = True
        self._question, self._being_said = question, being_said
        self._session.app.invalidate()

    def _message(self) -> FormattedText:
        said = [("", f"{self._being_said}\n")] if self._being_said else []
        return FormattedText([*said, ("bold", self._question)])


class Pipe:
    waits_at_end = True
    was_begun_before = False

    def __init__(self, lines: asyncio.StreamReader, pressed: asyncio.Event) -> None:
        self._lines = lines
        self._pressed = pressed
        self._held: bytes | None = None

    def columns(self) -> None:
        return None

    async def read(self, question: str) -> str:  # noqa: ARG002 - a pipe shows no question
        if (held := self._held) is not None:
            self._held = None
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
        return line.result().decode("utf-8", "replace")

    def show(self, question: str, being_said: str) -> None:
        pass


def _can_be_waited_for(descriptor: int) -> bool:
    """A file, or /dev/null, is all there already; uvloop would end the whole process over it."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


@asynccontextmanager
async def _piped() -> AsyncIterator[Pipe]:
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=LINE_BYTES_MAX)
    pressed = asyncio.Event()
    transport: asyncio.BaseTransport | None = None
    if _can_be_waited_for(sys.stdin.fileno()):
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    else:
        lines.feed_data(sys.stdin.buffer.read())
        lines.feed_eof()
    try:
        with _signals(pressed.set):
            yield Pipe(lines, pressed)
    finally:
        if transport is not None:
            transport.close()
