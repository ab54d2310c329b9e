"""Rows on a terminal without a prompt: what still changes is painted anew below what is complete."""

from collections.abc import Callable, Sequence
from typing import Protocol

from chatd.cli.talk.drawing.looks import Row, as_ansi


class Output(Protocol):
    def write(self, text: str, /) -> object: ...

    def flush(self) -> None: ...


class Painter:
    """Collects what is printed until `change`, so that the terminal gets it as one piece."""

    def __init__(self, output: Output, rows_max: Callable[[], int], *, coloured: bool) -> None:
        self._output = output
        self._rows_max = rows_max
        self._coloured = coloured
        self._waiting = ""
        # What is painted below what is complete.
        self._painted: list[str] = []

    def print(self, rows: Sequence[Row]) -> None:
        if rows:
            self._waiting += self._erased() + self._drawn(rows)

    def take_back(self, count: int) -> bool:
        if count + len(self._painted) >= self._rows_max():
            return count == 0
        self._waiting += self._erased() + (f"\x1b[{count}A\r\x1b[J" if count else "")
        return True

    def change(self, changing: Sequence[Row]) -> None:
        """What is complete so far, and below it what still changes."""
        shown = changing[-max(1, self._rows_max() - 1) :]
        painted = [as_ansi(row, coloured=self._coloured) for row in shown]
        if not self._waiting and painted == self._painted:
            return
        text = self._waiting + self._erased() + self._drawn(shown)
        self._waiting, self._painted = "", painted
        self._output.write(text)
        self._output.flush()

    def _erased(self) -> str:
        count, self._painted = len(self._painted), []
        return f"\x1b[{count}A\r\x1b[J" if count else ""

    def _drawn(self, rows: Sequence[Row]) -> str:
        return "".join(f"{as_ansi(row, coloured=self._coloured)}\n" for row in rows)
