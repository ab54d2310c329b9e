"""What is printed of a chat, row by row: only what is complete, and what turns out to be void is taken back.

A row that was printed belongs to the terminal. As long as it is on the screen it can be taken back, which is
done with what was half said when it is said anew.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

from chatd.cli.talk.drawing.drawing import SPOKEN, Drawing, drawn
from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.showing.pieces import Piece, Tone

SAID_ANEW: Final = "↺ That was broken off. It is said anew:"


class Paper(Protocol):
    def print(self, rows: Sequence[Row]) -> None: ...

    def take_back(self, count: int) -> bool:
        """The last rows. False: they are not all on the screen any more, and stay."""
        ...


class Roll:
    def __init__(self, paper: Paper, columns: Callable[[], int], now: Callable[[], float]) -> None:
        self.drawing = Drawing(columns, now)
        self._paper = paper
        self._columns = columns
        # What was printed since the last text that is saved, and whether it is preview. None: what is on the
        # screen of it is not known.
        self._unsaved: list[tuple[Row, bool]] | None = []

    def add(self, pieces: Iterable[Piece]) -> None:
        waiting: list[Row] = []
        for piece in pieces:
            if piece.voids:
                self._paper.print(waiting)
                self.drawing.drop_text()
                waiting = self._take_back()
            else:
                waiting += self._rows_of(piece)
        self._paper.print(waiting)

    def forget_place(self) -> None:
        """The screen has another size: who knows which rows are where."""
        self._unsaved = None

    def _rows_of(self, piece: Piece) -> Iterator[Row]:
        is_final = piece.tone in SPOKEN and not piece.is_preview and not piece.beside
        if not is_final and not piece.is_preview and not piece.beside and self._unsaved:
            # A note in the middle of what is said: the row before it is complete now.
            yield from self._noted(self.drawing.break_rows(), is_preview=True)
        yield from self._noted(self.drawing.add(piece), is_preview=piece.is_preview)
        if is_final:
            self._unsaved = []

    def _noted(self, rows: Iterable[Row], *, is_preview: bool) -> Iterator[Row]:
        for row in rows:
            if self._unsaved is not None and (is_preview or self._unsaved):
                self._unsaved.append((row, is_preview))
            yield row

    def _take_back(self) -> list[Row]:
        """What is to be printed instead: notes that were in between."""
        unsaved, self._unsaved = self._unsaved, []
        if unsaved is None or not self._paper.take_back(len(unsaved)):
            return [drawn(Tone.TOOL, SAID_ANEW)]
        return [row for row, is_preview in unsaved if not is_preview]
