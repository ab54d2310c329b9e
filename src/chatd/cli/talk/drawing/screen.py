"""A chat on the standard output: rows on a terminal, and in a pipe plain text as it comes."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence

from chatd.cli.talk.drawing.drawing import Drawing
from chatd.cli.talk.drawing.looks import Row, as_ansi
from chatd.cli.talk.drawing.painter import Painter
from chatd.cli.talk.showing.pieces import Piece
from chatd.kit.text import visible


def is_coloured() -> bool:
    """As programs agree on it: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class PlainScreen:
    """Nothing is held back, and nothing is added."""

    def show_all(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            sys.stdout.write(visible(piece.text))
        sys.stdout.flush()

    def being_said(self) -> Sequence[Row]:
        return ()


class RowScreen:
    """For a terminal with a prompt, which draws what is being said itself."""

    def __init__(self, columns: Callable[[], int]) -> None:
        self.drawing = Drawing(columns, time.monotonic)
        self._coloured = is_coloured()

    def show_all(self, pieces: Iterable[Piece]) -> None:
        rows = [row for piece in pieces for row in self.drawing.add(piece)]
        if rows:
            sys.stdout.write("".join(f"{as_ansi(row, coloured=self._coloured)}\n" for row in rows))
            sys.stdout.flush()

    def being_said(self) -> Sequence[Row]:
        return self.drawing.open_rows()


class PaintedScreen:
    """For a terminal without a prompt."""

    def __init__(self) -> None:
        self._drawing = Drawing(lambda: shutil.get_terminal_size().columns, time.monotonic)
        self._painter = Painter(sys.stdout, lambda: shutil.get_terminal_size().lines, coloured=is_coloured())

    def show_all(self, pieces: Iterable[Piece]) -> None:
        rows = [row for piece in pieces for row in self._drawing.add(piece)]
        self._painter.paint(rows, self._drawing.open_rows())

    def being_said(self) -> Sequence[Row]:
        return ()


def screen() -> PlainScreen | PaintedScreen:
    """For commands that ask nothing."""
    return PaintedScreen() if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" else PlainScreen()
