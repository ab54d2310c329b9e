"""Lines in a terminal, each in its tone; in a pipe, plain."""

from rich.console import Console
from rich.text import Text

from chatd.cli.transcript import Line, Tone

_STYLES = {
    Tone.USER: "bold cyan",
    Tone.TEXT: "",
    Tone.REASONING: "dim italic",
    Tone.TOOL: "dim",
    Tone.NOTE: "yellow",
    Tone.ERROR: "red",
}

_MARKS = {Tone.USER: "> "}


class Screen:
    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def show(self, line: Line) -> None:
        self._console.print(Text(_MARKS.get(line.tone, "") + line.text, style=_STYLES[line.tone]))

    def note(self, words: str) -> None:
        self.show(Line(Tone.NOTE, words))
