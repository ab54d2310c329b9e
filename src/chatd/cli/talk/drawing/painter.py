"""Rows on a terminal without a prompt: what still changes is painted anew below what is complete."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from chatd.cli.talk.drawing.looks import Row, as_ansi


class Output(Protocol):
    def write(self, text: str, /) -> object: ...

    def flush(self) -> None: ...


class Painter:
    def __init__(self, output: Output, rows_max: Callable[[], int], *, coloured: bool) -> None:
        self._output = output
        self._rows_max = rows_max
        self._coloured = coloured
        # How many rows below the cursor's beginning are to be painted anew.
        self._painted = 0

    def paint(self, complete: Iterable[Row], changing: Sequence[Row] = ()) -> None:
        shown = changing[-max(1, self._rows_max() - 1) :]
        up = f"\x1b[{self._painted}A\r\x1b[J" if self._painted else ""
        text = "".join(f"{as_ansi(row, coloured=self._coloured)}\n" for row in (*complete, *shown))
        self._painted = len(shown)
        if up or text:
            self._output.write(up + text)
            self._output.flush()
