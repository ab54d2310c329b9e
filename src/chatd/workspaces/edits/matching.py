"""Where a text is to be replaced, and by what (pure)."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, Self

from msgspec import Struct

from chatd.workspaces.edits.white_space import as_inserted, as_the_file_has_it

_CRLF = "\r\n"


class Hit(NamedTuple):
    """Replace what is from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


class Wanted(Struct, frozen=True, kw_only=True):
    """An edit as it is looked for. Both texts have plain line feeds; `newline` is what the file uses."""

    old: str
    new: str
    newline: str | None

    @classmethod
    def of(cls, old_text: str, new_text: str, newline: str | None) -> Self:
        if newline is None:
            # One line: there is no line ending to agree with.
            return cls(old=old_text, new=new_text, newline=None)
        return cls(old=old_text.replace(_CRLF, "\n"), new=new_text.replace(_CRLF, "\n"), newline=newline)

    def in_file(self, text: str) -> str:
        return text.replace("\n", self.newline) if self.newline == _CRLF else text


def newline_of(text: str) -> str | None:
    """The line ending that most lines have; None when there is only one line."""
    all_of_them = text.count("\n")
    with_return = text.count(_CRLF)
    if not all_of_them:
        return None
    return _CRLF if with_return > all_of_them - with_return else "\n"


def exact_hits(text: str, wanted: Wanted, limit: int) -> list[Hit]:
    """As `str.replace` would find them, but never half of a line ending."""
    old = wanted.in_file(wanted.old)
    hits: list[Hit] = []
    position = text.find(old)
    while position >= 0 and len(hits) < limit:
        end = position + len(old)
        if _splits_ending(text, position) or _splits_ending(text, end):
            position = text.find(old, position + 1)
            continue
        hits.append(Hit(position, end, ""))
        position = text.find(old, end)
    if not hits:
        return []
    at_line_start = all(hit.start == 0 or text[hit.start - 1] == "\n" for hit in hits)
    new = as_inserted(wanted.new, wanted.old, text, first_line_too=at_line_start)
    replacement = wanted.in_file(new)
    return [Hit(hit.start, hit.end, replacement) for hit in hits]


def hits_by_line(text: str, wanted: Wanted, limit: int, *, key: Callable[[str], str]) -> list[Hit]:
    """Whole lines whose `key` is the same. The file's white space stays where the edit keeps its own."""
    ends = wanted.old.endswith("\n")
    old = _lines(wanted.old)
    keys = [key(line) for line in old]
    if not any(keys):
        # Any blank line would do.
        return []
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    hits: list[Hit] = []
    for first in _windows([key(line) for line in lines], keys, limit):
        last = first + len(old) - 1
        there = [line.removesuffix("\r") for line in lines[first : last + 1]]
        has_ending = last + 1 < len(lines)
        new = as_the_file_has_it(there, old, _lines(wanted.new), text)
        end = starts[last] + len(there[-1])
        if ends and has_ending:
            end = starts[last + 1]
        ending = "\n" if ends and has_ending and wanted.new.endswith("\n") else ""
        hits.append(Hit(starts[first], end, wanted.in_file("\n".join(new) + ending)))
    return hits


def _windows(keys: list[str], wanted: list[str], limit: int) -> list[int]:
    """Where `wanted` begins in `keys`. Joined, so that the search is linear however lines repeat."""
    joined = "\n" + "\n".join(keys) + "\n"
    needle = "\n" + "\n".join(wanted) + "\n"
    starts = [0, *accumulate(len(line) + 1 for line in keys)]
    found: list[int] = []
    position = joined.find(needle)
    while position >= 0 and len(found) < limit:
        found.append(bisect_right(starts, position) - 1)
        position = joined.find(needle, position + len(needle) - 1)
    return found


def _lines(text: str) -> list[str]:
    """Without the empty piece behind the last line ending. No text has no lines."""
    return text.removesuffix("\n").split("\n") if text else []


def _splits_ending(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1] == "\r" and text[position] == "\n"
