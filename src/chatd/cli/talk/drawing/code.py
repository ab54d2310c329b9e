"""Lines of code with colours (pure), each as soon as it is whole."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from chatd.cli.talk.drawing.looks import PLAIN, Look, Span

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# Lines before the one that is coloured, so that a text over several lines is known as one.
KNOWN_LINES_MAX = 40
# A line that is longer is not coloured: a lexer may take very long over it.
COLOURED_LENGTH_MAX = 2000

# By the names of Pygments; what is not here looks as what it is a kind of.
_LOOKS: Final[Mapping[str, Look]] = {
    "Token.Keyword": Look(colour="magenta"),
    "Token.Operator.Word": Look(colour="magenta"),
    "Token.Name.Function": Look(colour="blue"),
    "Token.Name.Class": Look(colour="blue"),
    "Token.Name.Tag": Look(colour="blue"),
    "Token.Name.Decorator": Look(colour="yellow"),
    "Token.Name.Builtin": Look(colour="cyan"),
    "Token.Name.Attribute": Look(colour="cyan"),
    "Token.Literal.String": Look(colour="green"),
    "Token.Literal.Number": Look(colour="cyan"),
    "Token.Comment": Look(colour="grey"),
    "Token.Generic.Inserted": Look(colour="green"),
    "Token.Generic.Deleted": Look(colour="red"),
    "Token.Generic.Subheading": Look(colour="cyan"),
    "Token.Generic.Heading": Look(bold=True),
}
_DIFF: Final[Mapping[str, Look]] = {
    "+": Look(colour="green"),
    "-": Look(colour="red"),
    "@": Look(colour="cyan"),
}


class Code:
    """One block of code."""

    def __init__(self, language: str) -> None:
        self._lexer = _lexer_for(language)
        self._known: deque[str] = deque(maxlen=KNOWN_LINES_MAX)

    def line(self, source: str) -> tuple[Span, ...]:
        if self._lexer is None or len(source) > COLOURED_LENGTH_MAX:
            return (Span(source),)
        before = "".join(f"{each}\n" for each in self._known)
        self._known.append(source)
        return tuple(_last_line(self._lexer.get_tokens(f"{before}{source}\n"), len(before)))


def diff_look(line: str) -> Look:
    """Of a line of a unified diff, as reviewers know it."""
    if line.startswith(("+++", "---")):
        return Look(bold=True)
    return _DIFF.get(line[:1], PLAIN)


def _lexer_for(language: str) -> "Lexer | None":
    if not language:
        return None
    # Imported when there is code to colour: it takes as long as the rest of the program.
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


def _last_line(tokens: Iterable[tuple[Any, str]], start: int) -> Iterator[Span]:
    """The tokens behind `start` characters, without the line break."""
    at = 0
    for kind, text in tokens:
        end = at + len(text)
        if end > start and (shown := text[max(0, start - at) :].rstrip("\n")):
            yield Span(shown, _look_of(str(kind)))
        at = end


def _look_of(kind: str) -> Look:
    while kind not in _LOOKS:
        kind, dot, _ = kind.rpartition(".")
        if not dot:
            return PLAIN
    return _LOOKS[kind]
