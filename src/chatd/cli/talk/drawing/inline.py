"""Markdown within a line (pure): emphasis, code, links; also of a line that is not whole yet.

A mark that is open at the end of what is known so far may turn out to be an ordinary character. Everything
from there on is drawn as if it were closed, and counts as not settled.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from chatd.cli.talk.drawing.glyphs import Glyph, add_glyph
from chatd.cli.talk.drawing.looks import DIM, PLAIN, Look
from chatd.kit.text import visible

# An open mark this long ago is an ordinary character, so that what is not settled stays small.
UNSETTLED_MAX = 2000

_MARKS: Final[Mapping[str, Look]] = {
    "**": Look(bold=True),
    "__": Look(bold=True),
    "~~": Look(strike=True),
    "*": Look(italic=True),
    "_": Look(italic=True),
}
_CODE: Final = Look(colour="cyan")
_LINK: Final = Look(underline=True)

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_TICKS = re.compile(r"`+")
_A_MARK = re.compile(r"\*\*|__|~~|\*|_")
_A_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.){0,500})\]\(([^()\s]{1,2000})(?:\s+\"[^\"]{0,200}\")?\)")
_AN_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_AN_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What may still become an address or an entity.
_HALF_AN_ADDRESS = re.compile(r"<[A-Za-z][^<>\s]{0,2000}$|<$")
_HALF_AN_ENTITY = re.compile(r"&[#A-Za-z0-9]{0,32}$")
# What may still become a link.
_HALF_A_LINK = re.compile(r"!?\[(?:[^\[\]\\]|\\.){0,500}(?:\](?:\([^()\s]{0,2000})?)?$")


class Inline(Struct, frozen=True):
    glyphs: tuple[Glyph, ...]
    # Up to here in the source nothing can look different any more.
    settled: int


def inline(source: str, *, whole: bool, look: Look = PLAIN, open_marks: tuple[str, ...] = ()) -> Inline:
    """`open_marks` are those of what was before `source` in the same line."""
    return _Reading(source, look, list(open_marks), whole=whole).read()


class _Reading:
    def __init__(self, source: str, look: Look, open_marks: list[str], *, whole: bool) -> None:
        self._source = source
        self._whole = whole
        self._look = look
        self._open = open_marks
        self._out: list[Glyph] = []
        self._settled = len(source)
        # Marks of which no other one closes what is open behind a place that was looked at.
        self._never_closed: set[str] = set()

    def read(self) -> Inline:
        at = 0
        while at < len(self._source):
            at = self._next(at)
        return Inline(tuple(self._out), self._settled)

    def _next(self, at: int) -> int:
        character = self._source[at]
        if character == "\\" and (match := _ESCAPED.match(self._source, at)):
            return self._put(match[1], match.end())
        if character == "`":
            return self._code(at)
        if character in "![" and (end := self._link(at)) is not None:
            return end
        if character == "<" and (end := self._address(at)) is not None:
            return end
        if character == "&" and (end := self._entity(at)) is not None:
            return end
        if character in "*_~" and (match := _A_MARK.match(self._source, at)) and self._mark(match[0], at):
            return match.end()
        return self._put(character, at + 1)

    def _put(self, text: str, end: int, look: Look | None = None) -> int:
        whole_look = self._looks() if look is None else self._looks().also(look)
        for character in text:
            add_glyph(self._out, character, whole_look, end, tuple(self._open))
        return end

    def _looks(self) -> Look:
        look = self._look
        for mark in self._open:
            look = look.also(_MARKS[mark])
        return look

    def _unsettled(self, at: int) -> bool:
        """Whether it is open what this is. From here on, then, nothing is settled."""
        if self._whole or len(self._source) - at > UNSETTLED_MAX:
            return False
        self._settled = min(self._settled, at)
        return True

    def _code(self, at: int) -> int:
        ticks = _TICKS.match(self._source, at)
        assert ticks is not None
        closing = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(self._source, ticks.end())
        if closing is not None:
            if closing.end() == len(self._source):
                # One more tick would make it none.
                self._unsettled(at)
            return self._code_within(ticks.end(), closing.start(), closing.end())
        if self._unsettled(at):
            return self._code_within(ticks.end(), len(self._source), len(self._source))
        return self._put(ticks[0], ticks.end())

    def _code_within(self, start: int, end: int, behind: int) -> int:
        code = self._source[start:end]
        if len(code) > 2 and code[0] == code[-1] == " " and code.strip():  # noqa: PLR2004 - both blanks and a word
            code = code[1:-1]
        for character in code:
            add_glyph(self._out, character, self._looks().also(_CODE), behind, tuple(self._open))
        return behind

    def _link(self, at: int) -> int | None:
        """The words underlined, and the address behind them: a link must not hide where it leads."""
        if (match := _A_LINK.match(self._source, at)) is not None:
            words, address = match[1], match[2]
            self._put(words or address, match.end(), _LINK)
            if words and words != address:
                self._put(f" ({address})", match.end(), DIM)
            return match.end()
        if _HALF_A_LINK.match(self._source, at) is not None:
            self._unsettled(at)
        return None

    def _address(self, at: int) -> int | None:
        if (match := _AN_ADDRESS.match(self._source, at)) is not None:
            return self._put(match[1].removeprefix("mailto:"), match.end(), _LINK)
        if _HALF_AN_ADDRESS.match(self._source, at) is not None:
            self._unsettled(at)
        return None

    def _entity(self, at: int) -> int | None:
        if (match := _AN_ENTITY.match(self._source, at)) is not None:
            # Imported when there is one: its table is large. A terminal must not obey what it stands for.
            from html import unescape  # noqa: PLC0415

            return self._put(visible(unescape(match[0])).replace("\n", " "), match.end())
        if _HALF_AN_ENTITY.match(self._source, at) is not None:
            self._unsettled(at)
        return None

    def _mark(self, mark: str, at: int) -> bool:
        """Whether it is a mark, and no ordinary character."""
        before = self._source[at - 1] if at else " "
        behind = self._source[at + len(mark) : at + len(mark) + 1]
        if mark in self._open and not (at and before.isspace()):
            if not behind:
                # One more of the same would make it another mark.
                self._unsettled(at)
            while self._open and self._open.pop() != mark:
                pass
            return True
        if not behind and not self._whole:
            return self._unsettled(at)
        if not behind or behind.isspace() or (mark[0] == "_" and before.isalnum()):
            return False
        if not self._is_closed(mark, at + len(mark)) and not self._unsettled(at):
            return False
        self._open.append(mark)
        return True

    def _is_closed(self, mark: str, start: int) -> bool:
        if mark in self._never_closed:
            return False
        end = self._source.find(mark, start + 1)
        while end >= 0:
            behind = self._source[end + len(mark) : end + len(mark) + 1]
            is_longer = len(mark) == 1 and mark in (behind, self._source[end - 1])
            in_word = mark[0] == "_" and behind.isalnum()
            if not self._source[end - 1].isspace() and not is_longer and not in_word:
                if not behind:
                    self._unsettled(start - len(mark))
                return True
            end = self._source.find(mark, end + 1)
        self._never_closed.add(mark)
        return False
