"""Pieces of a chat in a terminal, each in its tone; in a pipe, plain. Nothing is held back."""

from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

from chatd.cli.talk.transcript import Piece, Tone
from chatd.kit.text import visible

_STYLES = {
    Tone.USER: Style(bold=True, color="cyan"),
    Tone.TEXT: Style(),
    Tone.REASONING: Style(dim=True, italic=True),
    Tone.TOOL: Style(dim=True),
    Tone.NOTE: Style(color="yellow"),
    Tone.ERROR: Style(color="red"),
}


class Screen:
    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def show_all(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            self.show(piece)

    def show(self, piece: Piece) -> None:
        self._console.print(Segments([Segment(visible(piece.text), _STYLES[piece.tone])]), end="")
