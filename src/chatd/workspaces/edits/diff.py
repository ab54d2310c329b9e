"""A unified diff of an edit (pure).

It is made from the places that were replaced, not by comparing the texts: that would take time that grows
with the square of their length.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple, Protocol

from msgspec import Struct

CONTEXT_LINES = 3
DIFF_CHARACTERS_MAX = 64 * 1024
LINE_CHARACTERS_MAX = 1000
# What comparing a place may take. One that would take more is shown as removed and added as a whole.
_PAIRS_MAX = 100_000
_LINES_MAX = 4000


class Replacement(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...


class Span(NamedTuple):
    """`before[b0:b1]` became `after[a0:a1]`."""

    b0: int
    b1: int
    a0: int
    a1: int


class Spans(Struct, frozen=True):
    """The places that were replaced, in order and apart from each other. All else is the same text."""

    spans: tuple[Span, ...] = ()

    def after(self, replacements: Sequence[Replacement]) -> "Spans":
        """With these replacements in the text as it is after the ones before. They are in order."""
        merged: list[Span] = []
        # How far the text is moved at this place: by the spans so far, and by the new replacements so far.
        moved = grown = 0
        old, new = list(reversed(self.spans)), list(reversed(replacements))
        while old or new:
            start = min(old[-1].a0 if old else new[-1].start, new[-1].start if new else old[-1].a0)
            b0, a0, end = start - moved, start + grown, start
            while True:
                if old and old[-1].a0 <= end:
                    span = old.pop()
                    end, moved = max(end, span.a1), span.a1 - span.b1
                elif new and new[-1].start <= end:
                    each = new.pop()
                    end = max(end, each.end)
                    grown += len(each.text) - (each.end - each.start)
                else:
                    break
            merged.append(Span(b0, end - moved, a0, end + grown))
        return Spans(tuple(merged))


class _Block(NamedTuple):
    """The same in lines, counting from 0."""

    b0: int
    b1: int
    a0: int
    a1: int


def unified_diff(path: str, before: str, after: str, spans: Spans) -> str:
    """Empty when nothing has changed."""
    old, new = _Text(before), _Text(after)
    blocks = list(_refined(old, new, _in_lines(old, new, spans.spans)))
    if not blocks:
        return ""
    pieces = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    size = 0
    for group in _grouped(blocks):
        for line in _hunk(old, new, group):
            if size > DIFF_CHARACTERS_MAX:
                pieces.append("[The rest of the diff is left out: it is too long.]\n")
                return "".join(pieces)
            pieces.append(line)
            size += len(line)
    return "".join(pieces)


def diff_of_texts(path: str, before: str, after: str) -> str:
    """As `unified_diff`, where it is not known what was replaced."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    spans = Spans((Span(head, len(before) - tail, head, len(after) - tail),))
    return unified_diff(path, before, after, spans if before != after else Spans())


def _common(one: str, other: str) -> int:
    """How many characters are the same at the beginning. By halves: comparing slices is quick."""
    same, unknown = 0, min(len(one), len(other))
    while same < unknown:
        middle = (same + unknown + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            unknown = middle - 1
    return same


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.split("\n")
        self.lines = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        self._starts = [0, *accumulate(len(line) for line in self.lines)]

    def line_at(self, position: int) -> int:
        # The end of a text without a line ending is on its last line.
        inside = position if self.starts_line(position) else position - 1
        return bisect_right(self._starts, inside) - 1

    def starts_line(self, position: int) -> bool:
        return position == 0 or self.text[position - 1] == "\n"

    def line_behind(self, position: int) -> int:
        """The line that begins behind the one that has this position."""
        end = self.text.find("\n", position)
        return len(self.lines) if end < 0 else self.line_at(end + 1)


def _in_lines(old: _Text, new: _Text, spans: Sequence[Span]) -> Iterator[_Block]:
    pending: _Block | None = None
    for span in spans:
        b0, a0 = old.line_at(span.b0), new.line_at(span.a0)
        if old.starts_line(span.b1) and new.starts_line(span.a1):
            b1, a1 = old.line_at(span.b1), new.line_at(span.a1)
        else:
            b1, a1 = old.line_behind(span.b1), new.line_behind(span.a1)
        if pending is not None and (b0 < pending.b1 or a0 < pending.a1):
            pending = _Block(pending.b0, max(b1, pending.b1), pending.a0, max(a1, pending.a1))
            continue
        if pending is not None:
            yield pending
        pending = _Block(b0, b1, a0, a1)
    if pending is not None:
        yield pending


def _refined(old: _Text, new: _Text, blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Without the lines of a block that are the same after all."""
    for block in blocks:
        before, after = old.lines[block.b0 : block.b1], new.lines[block.a0 : block.a1]
        if not _is_quick(before, after):
            if before != after:
                yield block
            continue
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "equal":
                yield _Block(block.b0 + i1, block.b0 + i2, block.a0 + j1, block.a0 + j2)


def _is_quick(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether little time is enough to compare them: it grows with the pairs of lines that are equal."""
    if len(before) * len(after) <= _PAIRS_MAX:
        return True
    if len(before) + len(after) > _LINES_MAX:
        return False
    there = Counter(after)
    return sum(there[line] for line in before) <= _PAIRS_MAX


def _grouped(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    group: list[_Block] = []
    for block in blocks:
        if group and block.b0 - group[-1].b1 > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(old: _Text, new: _Text, group: list[_Block]) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(CONTEXT_LINES, first.b0)
    behind = min(CONTEXT_LINES, len(old.lines) - last.b1)
    b0, b1, a0, a1 = first.b0 - before, last.b1 + behind, first.a0 - before, last.a1 + behind
    yield f"@@ -{_range(b0, b1)} +{_range(a0, a1)} @@\n"
    position = b0
    for block in group:
        yield from (_shown(" ", line) for line in old.lines[position : block.b0])
        yield from (_shown("-", line) for line in old.lines[block.b0 : block.b1])
        yield from (_shown("+", line) for line in new.lines[block.a0 : block.a1])
        position = block.b1
    yield from (_shown(" ", line) for line in old.lines[position:b1])


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return f"{start + 1}"
    return f"{start + 1 if count else start},{count}"


def _shown(mark: str, line: str) -> str:
    if len(line) > LINE_CHARACTERS_MAX:
        line = f"{line[:LINE_CHARACTERS_MAX]}[… {len(line) - LINE_CHARACTERS_MAX} characters more]\n"
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
