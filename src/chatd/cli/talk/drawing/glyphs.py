"""Characters with a look, and where rows of them end (pure).

Widths are counted in cells, as prompt_toolkit counts them, which draws what is being said: a wide character
takes two, one that combines with the character before it none.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from prompt_toolkit.utils import get_cwidth

from chatd.cli.talk.drawing.looks import PLAIN, Look, Row, Span, merged

TAB_CELLS = 4
_JOINER = "\u200d"
# Asks for the picture of a character that is narrow as text: many terminals make it wide then.
_AS_PICTURE = "\ufe0f"


# Two letters of these are a flag.
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
# Colours of skin, for the character before them.
_SKINS = range(0x1F3FB, 0x1F400)


class Glyph(NamedTuple):
    """What is never broken: a character with all that combines with it."""

    text: str
    look: Look
    cells: int
    # Where the source goes on behind it, and which marks of emphasis are open there.
    end: int = 0
    open_marks: tuple[str, ...] = ()


def cells_of(text: str) -> int:
    return sum(glyph.cells for glyph in glyphs_of(text))


def clipped(text: str, columns: int) -> str:
    """As much of it as fits on one row, with a mark where it is cut."""
    if cells_of(text) <= columns:
        return text
    shown, room = "", columns - 1
    for glyph in glyphs_of(text):
        room -= glyph.cells
        if room < 0:
            break
        shown += glyph.text
    return f"{shown}…"


def glyphs_of(text: str, look: Look = PLAIN) -> list[Glyph]:
    out: list[Glyph] = []
    for index, character in enumerate(text):
        add_glyph(out, character, look, index + 1)
    return out


def add_glyph(
    glyphs: list[Glyph], character: str, look: Look, end: int, open_marks: tuple[str, ...] = ()
) -> None:
    """A character that belongs to the one before is joined to it."""
    if character == "\t":
        blanks = TAB_CELLS - sum(glyph.cells for glyph in glyphs) % TAB_CELLS
        glyphs.extend(Glyph(" ", look, 1, end, open_marks) for _ in range(blanks))
        return
    joined = joined_to(glyphs[-1], character) if glyphs else None
    if joined is not None:
        glyphs[-1] = joined._replace(end=end, open_marks=open_marks)
    else:
        glyphs.append(Glyph(character, look, get_cwidth(character), end, open_marks))


def joined_to(before: Glyph, character: str) -> Glyph | None:
    """Both as one. None: the character stands for itself."""
    cells = get_cwidth(character)
    if not (cells == 0 or before.text.endswith(_JOINER) or _is_joined(before, character)):
        return None
    if character == _AS_PICTURE and before.cells == 1:
        cells = 1
    return before._replace(text=before.text + character, cells=before.cells + cells)


def _is_joined(before: Glyph, character: str) -> bool:
    """The second letter of a flag, or the colour of a skin."""
    if ord(character) in _FLAG_LETTERS:
        return len(before.text) == 1 and ord(before.text) in _FLAG_LETTERS
    return ord(character) in _SKINS and before.cells > 1


def wrapped(glyphs: Sequence[Glyph], first_cells: int, rest_cells: int) -> Iterator[Sequence[Glyph]]:
    """Rows of at most so many cells, the first and the others. They end between words where that is possible.

    The blank at which a row ends stays at its end, so that all rows together are all glyphs.
    """
    start, cells, breakable, room = 0, 0, 0, max(1, first_cells)
    at = 0
    while at < len(glyphs):
        glyph = glyphs[at]
        if cells + glyph.cells > room and at > start and glyph.text != " ":
            end = breakable if breakable > start else at
            yield glyphs[start:end]
            start, cells, room, at = end, 0, max(1, rest_cells), end
            continue
        cells += glyph.cells
        at += 1
        # Blanks at the beginning of a row are no place to end it.
        if glyph.cells > 1 or (glyph.text == " " and any(g.text != " " for g in glyphs[start:at])):
            breakable = at
    if start < len(glyphs):
        yield glyphs[start:]


def row_of(glyphs: Iterable[Glyph], before: Sequence[Span] = ()) -> Row:
    return merged((*before, *(Span(glyph.text, glyph.look) for glyph in glyphs)))
