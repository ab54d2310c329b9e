"""What was printed last (pure), to be drawn again for a screen of another width."""

from collections import deque
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from chatd.cli.talk.drawing.drawing import SPOKEN, Drawing
from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.showing.pieces import Piece, Tone

# More than fits on a large screen.
KEPT_LENGTH_MAX = 20_000
JOINED_LENGTH_MAX = 2_000


class _Kept(Struct, frozen=True):
    number: int
    piece: Piece
    # When it came, and whether thoughts were folded then.
    at: float
    fold: bool


class Printed:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: deque[_Kept] = deque()
        self._length = 0
        self._count = 0
        # Previews before this one are saved.
        self._newest_saved = 0

    def add(self, piece: Piece, *, fold: bool) -> None:
        if piece.voids:
            self._drop_unsaved()
            return
        if piece.tone in SPOKEN and not piece.is_preview and not piece.beside:
            self._newest_saved = self._count
        last = self._kept[-1] if self._kept else None
        if last is not None and _is_more_of(last, piece, fold=fold):
            joined = replace(piece, text=last.piece.text + piece.text)
            self._kept[-1] = replace(last, piece=joined)
        else:
            self._kept.append(_Kept(self._count, piece, self._now(), fold))
            self._count += 1
        self._length += len(piece.text)
        if self._length > 2 * KEPT_LENGTH_MAX:
            self._shorten()

    def redraw(self, drawing: Drawing) -> list[Row]:
        """All that is kept, by this drawing, which then goes on with what is being said."""
        rows: list[Row] = []
        for kept in self._kept:
            drawing.at, drawing.fold = kept.at, kept.fold
            rows += drawing.add(kept.piece)
        drawing.at = None
        return rows

    def _drop_unsaved(self) -> None:
        self._kept = deque(
            kept for kept in self._kept if kept.number < self._newest_saved or not kept.piece.is_preview
        )
        self._length = sum(len(kept.piece.text) for kept in self._kept)

    def _shorten(self) -> None:
        """Cut where no text is cut in two: the rest of one could be taken for something else."""
        is_between = False
        while self._kept and (self._length > KEPT_LENGTH_MAX or not is_between):
            dropped = self._kept.popleft().piece
            self._length -= len(dropped.text)
            is_between = dropped.ends or (dropped.tone is not Tone.TEXT and not dropped.beside)


def _is_more_of(last: _Kept, piece: Piece, *, fold: bool) -> bool:
    """Words come one by one; together they are drawn anew much faster."""
    before = last.piece
    is_same = (before.tone, before.is_preview, before.beside) == (piece.tone, piece.is_preview, piece.beside)
    return is_same and last.fold is fold and not before.ends and len(before.text) < JOINED_LENGTH_MAX
