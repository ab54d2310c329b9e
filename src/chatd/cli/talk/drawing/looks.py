"""How a piece of text looks in a terminal, and rows of such pieces (pure)."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

RESET: Final = "\x1b[0m"

# The sixteen colours of every terminal, as the user has set them: they are readable on light and on dark.
_COLOURS: Final[Mapping[str, int]] = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "magenta": 35,
    "cyan": 36,
    "grey": 90,
}
# As prompt_toolkit calls them.
_NAMES: Final[Mapping[str, str]] = {name: f"ansi{name}" for name in _COLOURS} | {"grey": "ansibrightblack"}


class Look(Struct, frozen=True, kw_only=True):
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    colour: str = ""

    def also(self, other: "Look") -> "Look":
        """Both at once; the colour of `other` counts, if it has one."""
        return Look(
            bold=self.bold or other.bold,
            dim=self.dim or other.dim,
            italic=self.italic or other.italic,
            underline=self.underline or other.underline,
            strike=self.strike or other.strike,
            colour=other.colour or self.colour,
        )


PLAIN: Final = Look()
DIM: Final = Look(dim=True)


class Span(Struct, frozen=True):
    text: str
    look: Look = PLAIN


Row: TypeAlias = tuple[Span, ...]


def text_of(row: Row) -> str:
    return "".join(span.text for span in row)


def merged(spans: Iterable[Span]) -> Row:
    """The same with neighbours of one look joined, and without blanks at the end."""
    out: list[Span] = []
    for span in spans:
        if out and out[-1].look == span.look:
            out[-1] = Span(out[-1].text + span.text, span.look)
        elif span.text:
            out.append(span)
    while out and not out[-1].text.strip(" "):
        out.pop()
    if out:
        out[-1] = Span(out[-1].text.rstrip(" "), out[-1].look)
    return tuple(out)


def as_ansi(row: Row, *, coloured: bool = True) -> str:
    """With escapes for a terminal; without them where it shows no colours."""
    if not coloured:
        return text_of(row)
    return "".join(_escaped(span) for span in row)


def as_fragments(row: Row, *, coloured: bool = True) -> list[tuple[str, str]]:
    """For prompt_toolkit: a style and a text each."""
    return [(_style(span.look) if coloured else "", span.text) for span in row]


def _style(look: Look) -> str:
    switches = {
        "bold": look.bold,
        "dim": look.dim,
        "italic": look.italic,
        "underline": look.underline,
        "strike": look.strike,
        f"fg:{_NAMES.get(look.colour, '')}": bool(look.colour),
    }
    return " ".join(style for style, is_on in switches.items() if is_on)


def _escaped(span: Span) -> str:
    look = span.look
    switches = {1: look.bold, 2: look.dim, 3: look.italic, 4: look.underline, 9: look.strike}
    codes = [code for code, is_on in switches.items() if is_on]
    if look.colour:
        codes.append(_COLOURS[look.colour])
    return f"\x1b[{';'.join(map(str, codes))}m{span.text}{RESET}" if codes else span.text
