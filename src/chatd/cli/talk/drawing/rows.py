"""Text in rows that fit the screen, as it comes (pure): complete rows out, and the one that is still spoken.

Rows end between words where that is possible, and go on below where the words of the first one begin.
Widths are counted in cells, as prompt_toolkit counts them, which draws the open row: a wide character takes
two, one that combines with the character before it none.
"""

import re
from collections.abc import Callable, Iterator

from prompt_toolkit.utils import get_cwidth

from chatd.cli.talk.showing.pieces import Piece, Tone

TAB_CELLS = 8
# Text that is broken where it must keep its blanks, such as a diff, begins at the edge.
HANGING = frozenset(Tone) - {Tone.DIFF, Tone.REASONING}

# What stands before the words of a line: blanks, a mark, the key or number of a choice, a command.
_BEFORE_WORDS = re.compile(r" *(?:[●✓✗✻>→+•▸?$] +)*(?:\w{1,2}  +|/\S+(?: \S+){0,2}  +)?")
# On a screen that is narrower, all of it is for words.
HANG_COLUMNS_MIN = 20

_JOINER = "\u200d"
# Asks for the picture of a character that is narrow as text: many terminals make it wide then.
_AS_PICTURE = "\ufe0f"


class Rows:
    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._fits = 0
        self._tone = Tone.TEXT
        self._row: list[str] = []
        self._cells = 0
        # Where the row may end: after a blank between words or a wide character; 0 is nowhere. And the place
        # before that, in case the wide character turns out to be joined to the next.
        self._end = 0
        self._end_before = 0
        # How far the rows behind the first one of a line are indented; None: this is the first one.
        self._hang: int | None = None

    @property
    def tone(self) -> Tone:
        return self._tone

    @property
    def open_row(self) -> str:
        return "".join(self._row)

    def add(self, piece: Piece) -> Iterator[Piece]:
        """The rows that are complete now. Pieces of another tone begin on a line of their own."""
        self._tone = piece.tone
        yield from self._fit()
        for character in piece.text:
            if character == "\n":
                # A row that has just been ended for want of room needs no empty one behind it.
                if self._hang is None or self.open_row.strip():
                    yield self._broken(len(self._row))
                self._row, self._cells, self._hang = [], 0, None
            elif character == "\t":
                for _ in range(TAB_CELLS - self._cells % TAB_CELLS):
                    yield from self._put(" ")
            else:
                yield from self._put(character)

    def _fit(self) -> Iterator[Piece]:
        """The screen may have another width by now."""
        columns = max(1, self._columns())
        if columns != self._fits:
            self._fits = columns
            row, self._row = self._row, []
            self._cells = self._end = self._end_before = 0
            for character in row:
                yield from self._put(character)

    def _put(self, character: str) -> Iterator[Piece]:
        cells = self._cells_of(character)
        if character == " " and self._cells + cells > self._fits:
            # The blank between two rows is not shown.
            yield self._broken(len(self._row))
            return
        while self._row and self._cells + cells > self._fits:
            yield self._broken(self._end or len(self._row))
        self._row.append(character)
        self._cells += cells
        self._note_end(character, cells)

    def _note_end(self, character: str, cells: int) -> None:
        here = len(self._row)
        joined = here > 1 and self._row[-2] == _JOINER
        if character == _JOINER:
            self._end = self._end_before
        elif cells > 1 or (character == " " and not self.open_row.isspace()):
            self._end_before = self._end_before if joined else self._end
            self._end = here
        elif cells == 0 and self._end == here - 1:
            self._end = here

    def _cells_of(self, character: str) -> int:
        if character == _AS_PICTURE and self._row and get_cwidth(self._row[-1]) == 1:
            return 1
        return get_cwidth(character)

    def _broken(self, end: int) -> Piece:
        row, rest = self._row[:end], self._row[end:]
        if self._hang is None:
            self._hang = self._hang_of("".join(row))
        self._row = [" "] * self._hang + rest
        self._cells = sum(get_cwidth(each) for each in self._row)
        self._end = self._end_before = 0
        return Piece(self._tone, "".join(row).rstrip(" ") + "\n")

    def _hang_of(self, first_row: str) -> int:
        if self._tone not in HANGING or self._fits < HANG_COLUMNS_MIN:
            return 0
        before = _BEFORE_WORDS.match(first_row)
        return min(len(before[0]) if before is not None else 0, self._fits // 2)
