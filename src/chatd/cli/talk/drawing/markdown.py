"""Markdown as it is spoken (pure): complete rows out, and those that may still change.

A line of the source is a line on the screen, wrapped between words. Rows of the line that is being said are
complete as soon as nothing can look different any more; what is not settled, such as a table, is kept until
it is.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from chatd.cli.talk.drawing.code import Code
from chatd.cli.talk.drawing.glyphs import Glyph, clipped, glyphs_of, row_of, wrapped
from chatd.cli.talk.drawing.inline import inline
from chatd.cli.talk.drawing.lines import Kind, Line, closes, is_undecided, line_of
from chatd.cli.talk.drawing.looks import DIM, Row, Span, text_of
from chatd.cli.talk.drawing.tables import ROWS_MAX, table_rows

# In a longer line nothing is looked for but the ends of rows.
MARKED_LENGTH_MAX = 20_000
# A screen on which fewer cells would be left for words shows them without what stands before them.
WORDS_CELLS_MIN = 4


class Markdown:
    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        # What of the last line has no complete rows yet.
        self._tail = ""
        # Of a line of which rows are complete: how it goes on, and which marks are open.
        self._begun: Line | None = None
        self._marks: tuple[str, ...] = ()
        # What of a link, which is read as one, is behind the last complete row.
        self._left: list[Glyph] = []
        self._code: Code | None = None
        self._fence = ""
        self._table: list[str] = []
        # A blank row is only shown between others.
        self._blank_wanted = False
        self._anything = False

    def add(self, text: str) -> Iterator[Row]:
        """The rows that are complete now."""
        *ended, begun = text.split("\n")
        for line in ended:
            yield from self._end_line(self._tail + line)
        self._tail += begun
        yield from self._settled_rows()

    def break_line(self) -> Iterator[Row]:
        """Something else comes in between. What is said next goes on, on another row."""
        if self._tail or self._begun is not None:
            yield from self._end_line(self._tail)
        yield from self._end_table()

    def end(self) -> Iterator[Row]:
        """All of it was said."""
        yield from self.break_line()
        self._code, self._fence, self._blank_wanted, self._anything = None, "", False, False

    def open_rows(self) -> list[Row]:
        """What is said and may still change, as it looks now."""
        rows: list[Row] = [(Span(line),) for line in self._table]
        if self._tail or self._begun is not None:
            rows += self._rows_of(self._tail, whole=False)
        return rows

    def _rows_of(self, source: str, *, whole: bool) -> list[Row]:
        if self._code is not None:
            return self._wrapped_code(self._code_spans(source, whole=whole))
        if self._begun is None and not whole and is_undecided(source):
            return [(Span(source),)]
        line = self._line(source, whole=whole)
        return [row for row, _ in self._drawn(line, whole=whole)] or [()]

    def _line(self, source: str, *, whole: bool) -> Line:
        """The line that the source is, or the rest of the one that has begun."""
        line = (
            line_of(source)
            if self._begun is None
            else replace(self._begun, first=self._begun.rest, text=source)
        )
        if whole and line.unshown_at_end:
            line = replace(line, text=line.text.rstrip(line.unshown_at_end))
        return self._fitted(line)

    def _fitted(self, line: Line) -> Line:
        """What stands before the words leaves room for them."""
        room = self._columns() - WORDS_CELLS_MIN
        first, rest = (spans if _cells(spans) <= room else () for spans in (line.first, line.rest))
        return line if (first, rest) == (line.first, line.rest) else replace(line, first=first, rest=rest)

    def _drawn(self, line: Line, *, whole: bool) -> Iterator[tuple[Row, Sequence[Glyph]]]:
        if len(line.text) > MARKED_LENGTH_MAX:
            glyphs: Sequence[Glyph] = glyphs_of(line.text, line.look)
        else:
            glyphs = inline(line.text, whole=whole, look=line.look, open_marks=self._marks).glyphs
        columns = max(1, self._columns())
        for number, piece in enumerate(
            wrapped([*self._left, *glyphs], columns - _cells(line.first), columns - _cells(line.rest))
        ):
            yield row_of(piece, line.rest if number else line.first), piece

    def _settled_rows(self) -> Iterator[Row]:
        """Rows of the line that is being said which are complete.

        That is where the next row has begun, and what did not fit any more is settled.
        """
        if self._code is not None or (self._begun is None and is_undecided(self._tail)):
            return
        line = self._line(self._tail, whole=False)
        if line.kind is not Kind.TEXT:
            return
        yield from self._end_table()
        settled = self._settled(line)
        columns, last, rest = max(1, self._columns()), None, list(self._drawn(line, whole=False))
        while len(rest) > 1:
            (row, glyphs), (_, following) = rest[:2]
            before = line.first if last is None else line.rest
            room = columns - _cells(before) - sum(glyph.cells for glyph in glyphs)
            if _end_of_what_exceeds(following, room) > settled:
                break
            yield from self._shown(row)
            last = glyphs[-1]
            del rest[0]
        if last is not None:
            self._begun, self._marks, self._tail = line, last.open_marks, line.text[last.end :]
            self._left = [
                glyph._replace(end=0) for _, glyphs in rest for glyph in glyphs if glyph.end <= last.end
            ]

    def _settled(self, line: Line) -> int:
        end = len(line.text.rstrip(line.unshown_at_end) if line.unshown_at_end else line.text)
        if len(line.text) > MARKED_LENGTH_MAX:
            return end
        return min(end, inline(line.text, whole=False, look=line.look, open_marks=self._marks).settled)

    def _end_line(self, source: str) -> Iterator[Row]:
        self._tail = ""
        if self._code is not None:
            yield from self._code_line(source)
            return
        line = self._line(source, whole=True)
        if line.kind is not Kind.TABLE or len(self._table) >= ROWS_MAX:
            yield from self._end_table()
        if line.kind is Kind.TABLE:
            self._table.append(line.text)
        elif line.kind is Kind.BLANK:
            self._blank_wanted = self._anything
        else:
            for row in self._rows_of_line(line):
                yield from self._shown(row)
        self._begun, self._marks, self._left = None, (), []

    def _rows_of_line(self, line: Line) -> Iterator[Row]:
        match line.kind:
            case Kind.RULE:
                yield (Span("─" * max(1, self._columns()), DIM),)
            case Kind.FENCE:
                self._code, self._fence = Code(line.language), line.fence
                if line.language:
                    yield (Span(clipped(line.language, max(1, self._columns())), DIM),)
            case _:
                yield from (row for row, _ in self._drawn(line, whole=True))

    def _code_line(self, source: str) -> Iterator[Row]:
        if closes(self._fence, source):
            self._code, self._fence = None, ""
            self._blank_wanted = True
            return
        for row in self._wrapped_code(self._code_spans(source, whole=True)):
            yield from self._shown(row)

    def _code_spans(self, source: str, *, whole: bool) -> tuple[Span, ...]:
        assert self._code is not None
        return self._code.line(source) if whole else (Span(source),)

    def _wrapped_code(self, spans: Sequence[Span]) -> list[Row]:
        """Code is broken at the edge, wherever that is: blanks count in it."""
        columns, rows, cells = max(1, self._columns()), [[]], 0  # type: tuple[int, list[list[Glyph]], int]
        for glyph in (glyph for span in spans for glyph in glyphs_of(span.text, span.look)):
            if cells + glyph.cells > columns:
                rows.append([])
                cells = 0
            rows[-1].append(glyph)
            cells += glyph.cells
        return [row_of(row) for row in rows]

    def _end_table(self) -> Iterator[Row]:
        lines, self._table = self._table, []
        if not lines:
            return
        rows = table_rows(lines, max(1, self._columns()))
        if rows is not None:
            for row in rows:
                yield from self._shown(row)
            return
        for line in lines:
            for row, _ in self._drawn(Line(kind=Kind.TEXT, text=line), whole=True):
                yield from self._shown(row)

    def _shown(self, row: Row) -> Iterator[Row]:
        if self._blank_wanted and text_of(row):
            self._blank_wanted = False
            yield ()
        self._anything = True
        yield row


def _cells(spans: Sequence[Span]) -> int:
    return sum(glyph.cells for span in spans for glyph in glyphs_of(span.text))


def _end_of_what_exceeds(glyphs: Sequence[Glyph], room: int) -> int:
    """Where the source ends of the glyph that does not fit into so many cells."""
    for glyph in glyphs:
        room -= glyph.cells
        if room < 0:
            return glyph.end
    return glyphs[-1].end
