"""What lasts, as rows of a terminal (pure)."""

from collections.abc import Iterable, Iterator

from chatd.cli.talk.drawing.drawing import drawn
from chatd.cli.talk.drawing.glyphs import cells_of, clipped
from chatd.cli.talk.drawing.looks import Row
from chatd.cli.talk.drawing.rows import Rows
from chatd.cli.talk.showing.panel import PanelLine
from chatd.cli.talk.showing.pieces import Piece


def panel_rows(lines: Iterable[PanelLine], columns: int) -> Iterator[Row]:
    for line in lines:
        if not line.wraps:
            room = max(1, columns - cells_of(line.behind))
            yield drawn(line.tone, clipped(line.text, room) + line.behind)
            continue
        for row in Rows(lambda: columns).add(Piece(line.tone, f"{line.text}\n")):
            yield drawn(row.tone, row.text.rstrip("\n"))
