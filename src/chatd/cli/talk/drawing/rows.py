"""Text in rows that fit the screen, as it comes (pure): complete rows out, and the one that is still spoken.

Rows end between words where that is possible, and go on below where the words of the first one begin.
Widths are counted in cells, as prompt_toolkit counts them, which draws the open row: a wide character takes
two, one that combines with the character before it none.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from prompt_toolkit.utils import get_cwidth

from chatd.cli.talk.drawing.glyphs import Glyph, joined_to
from chatd.cli.talk.drawing.looks import PLAIN
from chatd.cli.talk.showing.pieces import Piece, Tone

TAB_CELLS = 8
# Text that is broken where it must keep its blanks, such as a diff, begins at the edge.
HANGING = frozenset(Tone) - {Tone.DIFF, Tone.REASONING}

# What stands before the words of a line: blanks, a mark, the key or number of a choice, a command.
_BEFORE_WORDS = re.compile(r" *(?:[●✓✗✻>→+•▸?$] +)*(?:\w{1,2}  +|/\S+(?: \S+){0,2}  +)?")
# On a screen that is narrower, all of it is for words.
HANG_COLUMNS_MIN = 20

_BLANK = Glyph(" ", PLAIN, 1)


class Rows:
    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._fits = 0
        self._tone = Tone.TEXT
        self._row: list[Glyph] = []
        self._cells = 0
        # Where the row may end: after a blank between words or a wide character; 0 is nowhere. And the place
        # before that, in case the next character is joined to the wide one.
        self._end = 0
        self._end_before = 0
        # How far the rows behind the first one of a line are indented; None: this is the first one.
        self._hang: int | None = None
        # Blanks before what this row says, for that.
        self._indent = 0

    @property
    def tone(self) -> Tone:
        return self._tone

    @property
    def open_row(self) -> str:
        return _text_of(self._row)

    def add(self, piece: Piece) -> Iterator[Piece]:
        """The rows that are complete now. Pieces of another tone begin on a line of their own."""
        self._tone = piece.tone
        yield from self._fit()
        for character in piece.text:
            if character == "\n":
                # A row that has just been ended for want of room needs no empty one behind it.
                if self._hang is None or self.open_row.strip():
                    yield self._broken(len(self._row))
                self._hang = None
                self._begin_row([])
            elif character == "\t":
                for _ in range(TAB_CELLS - self._cells % TAB_CELLS):
                    yield from self._put(_BLANK)
            else:
                yield from self._say(character)

    def _fit(self) -> Iterator[Piece]:
        """The screen may have another width by now."""
        columns = max(1, self._columns())
        if columns != self._fits:
            self._fits = columns
            said = self._row[self._indent :]
            self._begin_row([])
            for glyph in said:
                yield from self._put(glyph)

    def _say(self, character: str) -> Iterator[Piece]:
        """What belongs to the character before it, as with a flag or a colour of skin, stays with it."""
        before = self._row[-1] if self._row else None
        glyph = joined_to(before, character) if before is not None else None
        if before is None or glyph is None or before.cells < glyph.cells > self._glyph_cells_max:
            yield from self._put(Glyph(character, PLAIN, get_cwidth(character)))
            return
        if self._end == len(self._row):
            self._end = self._end_before
        self._row.pop()
        self._cells -= before.cells
        yield from self._put(glyph)

    @property
    def _glyph_cells_max(self) -> int:
        """What is joined and wider would not fit on any row."""
        return self._fits if self._fits < HANG_COLUMNS_MIN else self._fits // 2

    def _put(self, glyph: Glyph) -> Iterator[Piece]:
        if glyph.text == " " and self._cells + 1 > self._fits:
            # The blank between two rows is not shown.
            yield self._broken(len(self._row))
            return
        while len(self._row) > self._indent and self._cells + glyph.cells > self._fits:
            yield self._broken(self._end or len(self._row))
        self._row.append(glyph)
        self._cells += glyph.cells
        if glyph.cells > 1 or (glyph.text == " " and not self.open_row.isspace()):
            self._end_before, self._end = self._end, len(self._row)

    def _broken(self, end: int) -> Piece:
        row, rest = self._row[:end], self._row[end:]
        if self._hang is None:
            self._hang = self._hang_of(_text_of(row))
        self._begin_row(rest)
        return Piece(self._tone, _text_of(row).rstrip(" ") + "\n")

    def _begin_row(self, glyphs: Sequence[Glyph]) -> None:
        # The screen may have become narrower since the hang was reckoned.
        self._indent = min(self._hang or 0, self._fits // 2) if self._fits >= HANG_COLUMNS_MIN else 0
        self._row = [*[_BLANK] * self._indent, *glyphs]
        self._cells = sum(glyph.cells for glyph in self._row)
        self._end = self._end_before = 0

    def _hang_of(self, first_row: str) -> int:
        if self._tone not in HANGING or self._fits < HANG_COLUMNS_MIN:
            return 0
        before = _BEFORE_WORDS.match(first_row)
        return min(len(before[0]) if before is not None else 0, self._fits // 2)


def _text_of(glyphs: Sequence[Glyph]) -> str:
    return "".join(glyph.text for glyph in glyphs)
