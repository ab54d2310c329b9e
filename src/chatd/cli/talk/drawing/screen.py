"""A chat on the standard output: rows on a terminal, and in a pipe plain text as it comes."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence

from chatd.cli.talk.drawing.drawing import Drawing
from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.drawing.painter import Painter
from chatd.cli.talk.drawing.printed import Printed
from chatd.cli.talk.drawing.roll import Paper, Roll
from chatd.cli.talk.showing.pieces import Piece
from chatd.kit.text import visible

# Kinds of terminals that obey nothing: those inside of some editors, and what nobody knows.
_CANNOT_MOVE = frozenset({"dumb", "unknown"})


def moves_cursor() -> bool:
    """What the terminal says of itself."""
    return os.environ.get("TERM") not in _CANNOT_MOVE


def is_coloured() -> bool:
    """As programs agree on it: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and moves_cursor()


class PlainScreen:
    """Nothing is held back, and nothing is added."""

    is_folded = False

    def show_all(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            sys.stdout.write(visible(piece.text))
        sys.stdout.flush()

    def being_said(self) -> Sequence[Row]:
        return ()


class RowScreen:
    """For a terminal with a prompt, which draws what is being said itself."""

    is_folded = True

    def __init__(self, paper: Paper, columns: Callable[[], int]) -> None:
        self._paper = paper
        self._columns = columns
        self._roll = Roll(paper, columns, time.monotonic)
        self._printed = Printed(time.monotonic)

    def show_all(self, pieces: Iterable[Piece]) -> None:
        self._roll.add(map(self._noted, pieces))

    def being_said(self) -> Sequence[Row]:
        return self._roll.drawing.open_rows()

    @property
    def folds(self) -> bool:
        return self._roll.drawing.fold

    def unfold(self) -> tuple[bool, str]:
        """Whether thoughts are folded from now on, or not any more; and the newest ones."""
        drawing = self._roll.drawing
        drawing.fold = not drawing.fold
        return drawing.fold, drawing.thoughts.strip()

    def redraw(self, columns_before: int) -> tuple[list[Row], list[Row]]:
        """What was printed: as it was drawn for that width, and for the width of now, which goes on."""
        before = self._printed.redraw(Drawing(lambda: columns_before, time.monotonic))
        roll = Roll(self._paper, self._columns, time.monotonic)
        now = self._printed.redraw(roll.drawing)
        roll.drawing.fold = self._roll.drawing.fold
        self._roll = roll
        self._roll.forget_place()
        return before, now

    def _noted(self, piece: Piece) -> Piece:
        self._printed.add(piece, fold=self._roll.drawing.fold)
        return piece


class PaintedScreen:
    """For a terminal without a prompt."""

    is_folded = True

    def __init__(self) -> None:
        rows_max = lambda: shutil.get_terminal_size().lines  # noqa: E731
        self._painter = Painter(sys.stdout, rows_max, coloured=is_coloured())
        self._roll = Roll(self._painter, lambda: self.columns, time.monotonic)
        self._panel: Sequence[Row] = ()

    @property
    def columns(self) -> int:
        return shutil.get_terminal_size().columns

    def show_all(self, pieces: Iterable[Piece]) -> None:
        self._roll.add(pieces)
        self._painter.change([*self._roll.drawing.open_rows(), *self._panel])

    def paint(self, panel: Sequence[Row]) -> None:
        """What lasts, below what is being said."""
        self._panel = panel
        self.show_all(())


def screen() -> PlainScreen | PaintedScreen:
    """For commands that ask nothing."""
    return PaintedScreen() if sys.stdout.isatty() and moves_cursor() else PlainScreen()
