"""Where lines come from: a person at a terminal, or a pipe."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.drawing.screen import moves_cursor
from chatd.cli.talk.typing.ending import ctrl_c
from chatd.cli.talk.typing.lined import Lined
from chatd.cli.talk.typing.pipe import Pipe, piped
from chatd.cli.talk.typing.terminal import Aids, Terminal, keys_as_they_are, stray_text_above


class Keyboard(Protocol):
    # Whether the answer to the last line is still wanted when there are no more.
    waits_at_end: bool
    # Whether the last line was begun under another question than the one under which it was ended.
    was_begun_before: bool

    async def read(self, question: str) -> str:
        """The next line, or several. Raises Pressed and Ended."""
        ...

    def make_room(self) -> None:
        """Something is about to be written where the question may stand."""
        ...

    def show(self, question: str, panel: Sequence[Row]) -> None:
        """What is asked has changed, or what is shown above it."""
        ...

    def type_in(self, text: str) -> None:
        """As if it was typed now."""
        ...

    def columns(self) -> int: ...

    def print(self, rows: Sequence[Row]) -> None:
        """Rows of the chat that are complete, above the field."""
        ...

    def take_back(self, count: int) -> bool:
        """The last rows. False: they are not all on the screen any more, and stay."""
        ...

    def begin_with(self, text: str) -> None:
        """The next line begins with this text, to be changed."""
        ...


@asynccontextmanager
async def keyboard(aids: Aids) -> AsyncIterator[Keyboard]:
    if is_screen():
        terminal = Terminal(aids)
        with keys_as_they_are(), stray_text_above(terminal), ctrl_c(terminal.press):
            yield terminal
    else:
        async with piped(Lined if is_terminal() else Pipe) as lines:
            yield lines


def is_screen() -> bool:
    """Whether rows can be drawn anew, with a field below them."""
    return is_terminal() and moves_cursor()


def is_terminal() -> bool:
    """Whether a person types."""
    return sys.stdin.isatty() and sys.stdout.isatty()
