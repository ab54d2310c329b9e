"""A terminal whose screens are kept, with when they were seen."""

import time
from asyncio.subprocess import Process
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, TypeAlias

from pyte.screens import Char

from tests.support.pseudo_terminal import PseudoTerminal, Screen, Size

# Faster, nobody sees a difference; slower, words come in jumps.
FRAME_SECONDS = 0.08
PAUSE_SECONDS_MAX = 2.5
LAST_SECONDS = 5.0
# What letters are written in where no colour is said: as a background, when both are swapped.
INK = "ink"


class Look(NamedTuple):
    """Colours are the words of the emulator, such as `green`; empty, where there is none."""

    colour: str
    background: str
    bold: bool
    italic: bool
    underline: bool


class Span(NamedTuple):
    """A piece of a row in one look: in which column it begins, and how many cells it takes."""

    column: int
    cells: int
    text: str
    look: Look


Row: TypeAlias = tuple[Span, ...]


class Shown(NamedTuple):
    """Rows from top to bottom, and where the cursor is: column and row, or nowhere."""

    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None


class Frame(NamedTuple):
    shown: Shown
    seconds: float


class RecordedTerminal(PseudoTerminal):
    def __init__(self, process: Process, handle: int, size: Size) -> None:
        super().__init__(process, handle, size)
        self._kept: list[tuple[float, Shown]] = []

    def changed(self) -> None:
        self._kept.append((time.monotonic(), shown_on(self.screen)))

    def frames(self) -> list[Frame]:
        """Of screens in a quick succession the last; no pause longer than one likes to wait."""
        return list(_timed(self._kept))


def _timed(kept: Sequence[tuple[float, Shown]]) -> Iterator[Frame]:
    begun = kept[0][0]
    for (_, shown), (following, other) in pairwise(kept):
        seconds = following - begun
        if seconds >= FRAME_SECONDS and shown != other:
            yield Frame(shown, min(seconds, PAUSE_SECONDS_MAX))
            begun = following
    yield Frame(kept[-1][1], LAST_SECONDS)


def shown_on(screen: Screen) -> Shown:
    cursor = None if screen.cursor.hidden else (screen.cursor.x, screen.cursor.y)
    return Shown(tuple(_row(screen.buffer[at]) for at in range(screen.lines)), cursor)


def _row(cells: Mapping[int, Char]) -> Row:
    columns = range(max(cells, default=-1) + 1)
    spans = (
        _span(list(group), cells, look) for look, group in groupby(columns, key=lambda at: _look(cells[at]))
    )
    return tuple(span for span in spans if span.text.strip() or span.look.background)


def _span(columns: list[int], cells: Mapping[int, Char], look: Look) -> Span:
    """Blanks at both ends are nothing where there is no background. Behind a wide letter is an empty cell."""
    while not look.background and columns and cells[columns[0]].data == " ":
        columns.pop(0)
    while not look.background and columns and cells[columns[-1]].data == " ":
        columns.pop()
    return Span(columns[0] if columns else 0, len(columns), "".join(cells[at].data for at in columns), look)


def _look(cell: Char) -> Look:
    colour, background = ("" if name == "default" else name for name in (cell.fg, cell.bg))
    if cell.reverse:
        colour, background = background, colour or INK
    return Look(colour, background, bold=cell.bold, italic=cell.italics, underline=cell.underscore)
