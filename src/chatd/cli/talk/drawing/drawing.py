"""A chat as rows of a terminal (pure): pieces of text in, complete rows out, and those that still change."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chatd.cli.talk.drawing.code import diff_look
from chatd.cli.talk.drawing.looks import PLAIN, Look, Row, Span
from chatd.cli.talk.drawing.markdown import Markdown
from chatd.cli.talk.drawing.rows import Rows
from chatd.cli.talk.showing.pieces import Piece, Tone
from chatd.cli.talk.showing.spell import in_words
from chatd.kit.text import visible

LOOKS: Final[Mapping[Tone, Look]] = {
    Tone.USER: Look(bold=True, colour="cyan"),
    Tone.TEXT: PLAIN,
    Tone.REASONING: Look(dim=True, italic=True),
    Tone.CALL: Look(colour="blue"),
    Tone.TOOL: Look(dim=True),
    Tone.NOTE: Look(colour="yellow"),
    Tone.ASKED: Look(bold=True, colour="yellow"),
    Tone.AGENT: Look(colour="magenta"),
    Tone.ERROR: Look(colour="red"),
}
# Of thoughts that are folded, so many rows are seen while they are thought.
THOUGHT_ROWS = 3
THOUGHTS_LENGTH_MAX = 200_000


SPOKEN: Final = frozenset({Tone.TEXT, Tone.REASONING})


class Drawing:
    def __init__(self, columns: Callable[[], int], now: Callable[[], float], *, fold: bool = True) -> None:
        self.fold = fold
        # The newest thoughts, for a reader who unfolds them.
        self.thoughts = ""
        # When the next piece came, where that is not now.
        self.at: float | None = None
        self._columns = columns
        self._clock = now
        self._markdown = Markdown(columns)
        self._rows = Rows(columns)
        self._thinks_since: float | None = None

    def add(self, piece: Piece) -> Iterator[Row]:
        if piece.beside:
            yield from _rows_of(Rows(self._columns), piece)
            return
        if piece.tone is Tone.REASONING and self.fold:
            self._think(piece.text)
            return
        if piece.tone is Tone.TEXT:
            yield from self._end_thoughts()
            yield from self._markdown.add(visible(piece.text))
            if piece.ends:
                yield from self._markdown.end()
            return
        yield from self.break_rows()
        if piece.tone is Tone.USER:
            # Turns are told apart.
            yield ()
        if piece.tone is Tone.REASONING:
            self._keep_thoughts(piece.text)
        yield from _rows_of(self._rows, piece)

    def break_rows(self) -> Iterator[Row]:
        """Something else comes in between: what is being said is complete up to here."""
        yield from self._end_thoughts()
        yield from self._markdown.break_line()

    def drop_text(self) -> None:
        """What is being said is void."""
        self._markdown = Markdown(self._columns)
        self._rows = Rows(self._columns)
        self._thinks_since = None

    def open_rows(self) -> list[Row]:
        if self._thinks_since is not None:
            shown = self._thought_rows()[-THOUGHT_ROWS:]
            return [drawn(Tone.REASONING, text) for text in shown]
        rows = self._markdown.open_rows()
        if self._rows.open_row:
            rows.append(drawn(self._rows.tone, self._rows.open_row))
        return rows

    def _now(self) -> float:
        return self._clock() if self.at is None else self.at

    def _think(self, text: str) -> None:
        if self._thinks_since is None:
            self._thinks_since = self._now()
            self.thoughts = ""
        self._keep_thoughts(text)

    def _keep_thoughts(self, text: str) -> None:
        self.thoughts = (self.thoughts + visible(text))[-THOUGHTS_LENGTH_MAX:]

    def _thought_rows(self) -> list[str]:
        rows = Rows(self._columns)
        # Not all of it is wrapped anew for each word: the last rows are enough.
        end = self.thoughts[-THOUGHT_ROWS * 4 * max(1, self._columns()) :]
        whole = [piece.text.rstrip("\n") for piece in rows.add(Piece(Tone.REASONING, end))]
        return [*whole, *([rows.open_row] if rows.open_row else [])]

    def _end_thoughts(self) -> Iterator[Row]:
        if self._thinks_since is not None:
            seconds = self._now() - self._thinks_since
            self._thinks_since = None
            yield drawn(Tone.REASONING, f"✻ Thought for {in_words(seconds)}. Ctrl-T shows it.")


def _rows_of(rows: Rows, piece: Piece) -> Iterator[Row]:
    for row in rows.add(piece):
        yield drawn(row.tone, row.text.rstrip("\n"))


def drawn(tone: Tone, text: str) -> Row:
    look = diff_look(text) if tone is Tone.DIFF else LOOKS[tone]
    return (Span(visible(text), look),) if text else ()
