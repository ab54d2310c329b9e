"""Blocks of text as Markdown: paragraphs, headings, lists, tables, code and links (pure)."""

import re
from enum import IntEnum

from msgspec import Struct

# Of what is written: a page of short links could become a hundred times as long as it is.
TEXT_CHARACTERS_MAX = 5_000_000
# Deeper lists and quotes are written as if they were this deep.
INDENTS_MAX = 8
LINK_CHARACTERS_MAX = 500
CELL_CHARACTERS_MAX = 2_000

_SPACES = re.compile(r"[ \t\r\f\v]+")
_AROUND_BREAKS = re.compile(r" ?\n ?")
_WHITE = re.compile(r"\s+")


class Rank(IntEnum):
    """What a block is of a page: what is around it, its body, or what it is there for."""

    NOISE = 0
    BODY = 1
    MAIN = 2


class Full(Exception):
    """There is more than is kept of a page."""


class Block(Struct, frozen=True):
    text: str
    rank: Rank
    # An item of a list or a row of a table: they follow one another without an empty line.
    is_row: bool = False


class _List(Struct):
    # None: it is not numbered.
    number: int | None


class Writer:
    """`rank` is that of what is written now."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.rank = Rank.BODY
        self.heading = 0
        self.quotes = 0
        # Whether the rest is to be left out; then what was said so far can still be written.
        self.is_full = False
        self._size = 0
        self._line: list[str] = []
        self._lists: list[_List] = []
        self._begins_item = False
        self._link: tuple[str, int] | None = None
        self._row: list[str] = []
        self._rows = 0
        self._cell: list[str] | None = None

    def say(self, text: str) -> None:
        self._count(text)
        self._line.append(_WHITE.sub(" ", text))

    def mark(self, text: str) -> None:
        """What stands as it is: the end of a line, a mark around code."""
        self._count(text)
        self._line.append(text)

    def flush(self) -> None:
        """What was said so far is a block. A link around several blocks is written with the first."""
        link = self._link
        if not self.end_link() and link is not None:
            self._link = (link[0], 0)
        text = _AROUND_BREAKS.sub("\n", _SPACES.sub(" ", "".join(self._line))).strip()
        self._line.clear()
        if not text or text == "``":
            return
        if self._cell is not None:
            self._cell.append(text)
        elif self.heading:
            self._emit(f"{'#' * self.heading} {text.replace(chr(10), ' ')}")
        elif self._lists:
            self._emit_item(text)
        else:
            self._emit(text)

    def write_code(self, text: str) -> None:
        """A block that stays as it is."""
        self.flush()
        self._count(text)
        code = text.strip("\n").rstrip()
        if not code.strip():
            return
        if self._cell is not None:
            self._cell.append(code)
            return
        fence = "```" if "```" not in code else "~~~~"
        self._emit(f"{fence}\n{code}\n{fence}")

    def begin_link(self, url: str) -> None:
        self.end_link()
        if len(url) <= LINK_CHARACTERS_MAX:
            self._link = (url, len(self._line))

    def end_link(self) -> bool:
        """Whether there was something to link."""
        if self._link is None:
            return False
        (url, begin), self._link = self._link, None
        text = "".join(self._line[begin:])
        if not text.strip():
            return False
        before = " " if text[0] == " " else ""
        after = " " if text[-1] == " " else ""
        linked = f"{before}[{text.strip()}]({url}){after}"
        self._count(url)
        self._line[begin:] = [linked]
        return True

    def begin_list(self, number: int | None) -> None:
        self.flush()
        self._spill()
        self._lists.append(_List(number))

    def end_list(self) -> None:
        self.flush()
        if self._lists:
            self._lists.pop()
        self._begins_item = False

    def begin_item(self) -> None:
        self.flush()
        self._begins_item = True

    def begin_table(self) -> None:
        self.flush()
        self._spill()
        self._rows = 0

    def begin_cell(self) -> None:
        self.end_cell()
        self._cell = []

    def end_cell(self) -> None:
        self.flush()
        if self._cell is not None:
            cell = " ".join(self._cell).replace("\n", " ").replace("|", "\\|")
            self._row.append(cell if len(cell) <= CELL_CHARACTERS_MAX else cell[:CELL_CHARACTERS_MAX] + "…")
            self._cell = None

    def end_row(self) -> None:
        self.end_cell()
        row, self._row = self._row, []
        if len(row) == 1 and row[0]:
            # A table that only places things.
            self._emit(row[0])
        elif any(row):
            self._emit(f"| {' | '.join(row)} |", is_row=True)
            self._rows += 1
            if self._rows == 1:
                self._emit("|" + " --- |" * len(row), is_row=True)

    def spill(self) -> None:
        """Something larger begins inside of a cell: the table only places things."""
        self.flush()
        self._spill()

    def _spill(self) -> None:
        if self._cell is None:
            return
        texts, self._row, self._cell, self._rows = [*self._row, *self._cell], [], None, 0
        for text in filter(None, texts):
            self._emit(text)

    def _emit_item(self, text: str) -> None:
        depth = min(len(self._lists), INDENTS_MAX) - 1
        indent = "  " * depth
        if not self._begins_item:
            self._emit(_indented(text, f"{indent}  "))
            return
        self._begins_item = False
        innermost = self._lists[-1]
        mark = "-"
        if innermost.number is not None:
            mark = f"{innermost.number}."
            innermost.number += 1
        self._emit(f"{indent}{mark} {_indented(text, f'{indent}  ').lstrip()}", is_row=True)

    def _emit(self, text: str, *, is_row: bool = False) -> None:
        if self.quotes:
            text = _indented(text, "> " * min(self.quotes, INDENTS_MAX))
        self._count(text)
        self.blocks.append(Block(text, self.rank, is_row))

    def _count(self, text: str) -> None:
        self._size += len(text)
        # What is written is counted twice, as it is said and as a block.
        if self._size > 2 * TEXT_CHARACTERS_MAX and not self.is_full:
            self.is_full = True
            raise Full


def _indented(text: str, indent: str) -> str:
    return indent + text.replace("\n", f"\n{indent}")
