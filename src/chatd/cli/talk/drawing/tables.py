"""A table of Markdown in columns that fit the screen (pure)."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import zip_longest

from chatd.cli.talk.drawing.glyphs import Glyph, cells_of, row_of, wrapped
from chatd.cli.talk.drawing.inline import inline
from chatd.cli.talk.drawing.looks import DIM, PLAIN, Look, Row, Span, merged, text_of

# One with more is shown as it was written, since nothing of it could be seen before its end.
ROWS_MAX = 200
COLUMNS_MAX = 20
# No column is made narrower than this.
CELLS_MIN = 4


class Side(Enum):
    LEFT = auto()
    MIDDLE = auto()
    RIGHT = auto()


_BETWEEN = " │ "
_DELIMITER = re.compile(r"[ ]*:?-+:?[ ]*")


def table_rows(lines: Sequence[str], columns: int) -> Iterator[Row] | None:
    """None: these lines are no table."""
    cells = [_cells(line) for line in lines]
    is_table = len(cells) > 1 and len(cells) <= ROWS_MAX and all(map(_DELIMITER.fullmatch, cells[1]))
    count = len(cells[0])
    if not is_table or not 0 < count <= COLUMNS_MAX or columns < count * (CELLS_MIN + len(_BETWEEN)):
        return None
    sides = [_side(cell) for cell in _fitted(cells[1], count)]
    return _drawn([_fitted(row, count) for row in (cells[0], *cells[2:])], sides, columns)


def _side(delimiter: str) -> Side:
    """To which the cells of a column are moved, as the colons of its delimiter have it."""
    if not delimiter.endswith(":"):
        return Side.LEFT
    return Side.MIDDLE if delimiter.startswith(":") else Side.RIGHT


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in _split(inner)]


def _split(inner: str) -> list[str]:
    """At bars, but not at those in code or behind a backslash."""
    parts, code = [""], False
    for index, character in enumerate(inner):
        code ^= character == "`"
        if character == "|" and not code and not inner[:index].endswith("\\"):
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _fitted(row: list[str], count: int) -> list[str]:
    return (row + [""] * count)[:count]


def _drawn(table: list[list[str]], sides: Sequence[Side], columns: int) -> Iterator[Row]:
    looks = [Look(bold=True), *(PLAIN for _ in table[1:])]
    drawn = [[_glyphs(cell, look) for cell in row] for row, look in zip(table, looks, strict=True)]
    widths = _widths(drawn, columns)
    for number, row in enumerate(drawn):
        yield from _row(row, widths, sides)
        if number == 0:
            yield (Span("─┼─".join("─" * width for width in widths), DIM),)


def _glyphs(cell: str, look: Look) -> tuple[Glyph, ...]:
    return inline(cell, whole=True, look=look).glyphs


def _cells_in(glyphs: Sequence[Glyph]) -> int:
    return sum(glyph.cells for glyph in glyphs)


def _widths(drawn: list[list[tuple[Glyph, ...]]], columns: int) -> list[int]:
    """As wide as their widest cell; where that is too wide, the widest columns give way."""
    widths = [max(1, *(_cells_in(row[column]) for row in drawn)) for column in range(len(drawn[0]))]
    room = columns - len(_BETWEEN) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > CELLS_MIN:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _row(cells: list[tuple[Glyph, ...]], widths: list[int], sides: Sequence[Side]) -> Iterator[Row]:
    columns = [list(wrapped(cell, width, width)) for cell, width in zip(cells, widths, strict=True)]
    for pieces in zip_longest(*columns, fillvalue=()):
        spans: list[Span] = []
        for piece, width, side in zip(pieces, widths, sides, strict=True):
            shown = row_of(piece)
            before, behind = _blanks(width - cells_of(text_of(shown).rstrip()), side)
            spans += [*([Span(_BETWEEN, DIM)] if spans else []), Span(before), *_ended(shown), Span(behind)]
        yield merged(spans)


def _ended(row: Row) -> Row:
    """Without the blank at which it was wrapped."""
    *before, last = row or (Span(""),)
    return (*before, Span(last.text.rstrip(), last.look))


def _blanks(room: int, side: Side) -> tuple[str, str]:
    before = {Side.LEFT: 0, Side.MIDDLE: room // 2, Side.RIGHT: room}[side]
    return " " * max(0, before), " " * max(0, room - before)
