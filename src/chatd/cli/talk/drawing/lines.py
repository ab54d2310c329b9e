"""What kind of Markdown a line is, by how it begins (pure)."""

import re
from enum import Enum, auto

from msgspec import Struct

from chatd.cli.talk.drawing.looks import DIM, PLAIN, Look, Span

BULLET = "•"
QUOTED = "▌ "

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)", re.DOTALL)
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\[[ xX]\][ \t])?(.*)", re.DOTALL)
_QUOTE = re.compile(r"[ ]{0,3}((?:>[ ]?)+)(.*)", re.DOTALL)
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*")
_RULE = re.compile(r"[ ]{0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}")
_TABLE = re.compile(r"[ ]{0,3}\|.*")
# A line of which only this is known may become anything.
_UNDECIDED = re.compile(r"[ \t]*(?:#{1,6}|[-*+_][-*+_ \t]*|\d{1,9}[.)]?|>|`{1,3}.*|~{1,3}.*|\|.*)?[ \t]*")

_TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
# Deeper levels of a list are not moved further to the right.
INDENT_CELLS_MAX = 16
# Nor those of quotations.
QUOTES_MAX = 4


class Kind(Enum):
    TEXT = auto()
    BLANK = auto()
    FENCE = auto()
    RULE = auto()
    TABLE = auto()


class Line(Struct, frozen=True, kw_only=True):
    kind: Kind
    # What stands before the first row and before the others, and what is between the marks.
    first: tuple[Span, ...] = ()
    rest: tuple[Span, ...] = ()
    text: str = ""
    look: Look = PLAIN
    # Characters that are not shown at its end, once that is known. Of a heading, the marks that close it.
    unshown_at_end: str = ""
    # Of a fence: its marks, and the language behind it.
    fence: str = ""
    language: str = ""


def line_of(source: str) -> Line:
    if not source.strip():
        return Line(kind=Kind.BLANK)
    if (fence := _FENCE.fullmatch(source)) is not None:
        return Line(kind=Kind.FENCE, fence=fence[2], language=fence[3])
    if _RULE.fullmatch(source) is not None:
        return Line(kind=Kind.RULE)
    if _TABLE.fullmatch(source) is not None:
        return Line(kind=Kind.TABLE, text=source)
    if (heading := _HEADING.fullmatch(source)) is not None:
        look = Look(bold=True, underline=len(heading[1]) == 1)
        return Line(kind=Kind.TEXT, text=heading[2], look=look, unshown_at_end="# \t")
    if (quote := _QUOTE.fullmatch(source)) is not None:
        return _quoted(*quote.groups())
    if (item := _ITEM.fullmatch(source)) is not None:
        return _item(*item.groups())
    return Line(kind=Kind.TEXT, text=source)


def is_undecided(source: str) -> bool:
    """Whether more of the line can make it another kind of line."""
    quote = _QUOTE.fullmatch(source)
    return _UNDECIDED.fullmatch(quote[2] if quote is not None else source) is not None


def closes(fence: str, source: str) -> bool:
    """Whether the line ends the code that began with `fence`."""
    marks = source.strip()
    return len(marks) >= len(fence) and not marks.strip(fence[0])


def _quoted(marks: str, text: str) -> Line:
    """What is quoted may be a heading or an item; what takes several lines is shown as it was written."""
    before = (Span(QUOTED * min(QUOTES_MAX, marks.count(">")), DIM),)
    inner = line_of(text)
    if inner.kind is not Kind.TEXT:
        inner = Line(kind=Kind.TEXT, text=text)
    return Line(
        kind=Kind.TEXT,
        first=(*before, *inner.first),
        rest=(*before, *inner.rest),
        text=inner.text,
        look=inner.look.also(Look(italic=True)),
        unshown_at_end=inner.unshown_at_end,
    )


def _item(indent: str, mark: str, task: str | None, text: str) -> Line:
    blanks = " " * min(INDENT_CELLS_MAX, len(indent.expandtabs(4)))
    shown = _TASKS.get(task or "") or f"{BULLET if mark in '-*+' else mark} "
    return Line(
        kind=Kind.TEXT,
        first=(Span(blanks), Span(shown, DIM)),
        rest=(Span(blanks + " " * len(shown)),),
        text=text,
    )
