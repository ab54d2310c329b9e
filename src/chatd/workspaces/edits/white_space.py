"""White space around what is replaced: that of the file wins where the edit does not change it (pure)."""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from math import gcd

# Above this many pairs of lines, only equal lines at both ends are paired.
_PAIRS_MAX = 250_000
_UNIT_SPACES_MAX = 8
# Lines that are looked at to see how a file is indented.
_LINES_SEEN_MAX = 2000


def indent_unit(lines: Sequence[str]) -> str | None:
    """A tab or some spaces; None when no line is indented."""
    leads = [lead(line) for line in lines[:_LINES_SEEN_MAX] if line.strip()]
    tabs = sum(1 for each in leads if each.startswith("\t"))
    spaces = [len(each) for each in leads if each.startswith(" ")]
    if not tabs and not spaces:
        return None
    if tabs >= len(spaces):
        return "\t"
    widths = [0 if each.startswith("\t") else len(each) for each in leads]
    steps = Counter(
        after - before for before, after in pairwise(widths) if 1 < after - before <= _UNIT_SPACES_MAX
    )
    if steps:
        return " " * steps.most_common(1)[0][0]
    return " " * (gcd(*spaces) if 1 < gcd(*spaces) <= _UNIT_SPACES_MAX else 4)


def as_the_file_has_it(there: list[str], old: list[str], new: list[str], text: str) -> list[str]:
    """The lines of `new`, indented as the file is. `there` are the lines that `old` stands for."""
    pairs = _pairs(old, new)
    leads = {lead(o): lead(f) for o, f in zip(old, there, strict=True) if o.strip()}
    units = _Units(text, [*old, *new])
    shown: list[str] = []
    anchor = next(((o, f) for o, f in zip(old, there, strict=True) if o.strip()), ("", ""))
    for index, line in enumerate(new):
        before = pairs.get(index)
        if before is not None and old[before].strip():
            anchor = (old[before], there[before])
        if not line.strip():
            shown.append(there[before] if before is not None and old[before] == line else line)
        elif before is None:
            shown.append(_lead_like(lead(line), leads, anchor, units) + line.lstrip())
        else:
            shown.append(_paired(line, old[before], there[before], leads, units))
    return shown


def as_inserted(new: str, old: str, text: str, *, first_line_too: bool) -> str:
    """`new` with the lines that it adds indented by tabs in a file of tabs, by spaces in one of spaces.

    For an exact match. Where `old` itself has lines that are indented the other way, the file does so on
    purpose at this place, and `new` stays as it is.
    """
    lines = new.split("\n")
    kept = old.split("\n")
    unit = indent_unit(text.split("\n", _LINES_SEEN_MAX))
    if unit is None or len(lines) == 1:
        return new
    other = " " if unit == "\t" else "\t"
    if any(line.startswith(other) for line in kept):
        return new
    units = _Units(text, lines)
    known = set(kept)
    return "\n".join(
        units.converted(lead(line)) + line.lstrip(" \t")
        if line.startswith(other) and line.strip() and line not in known and (index or first_line_too)
        else line
        for index, line in enumerate(lines)
    )


def lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _trail(line: str) -> str:
    return line[len(line.rstrip()) :]


class _Units:
    """Indentation in the units of an edit, as the file would write it."""

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self.of_file = indent_unit(text.split("\n", _LINES_SEEN_MAX))
        widths = [len(lead(line)) for line in lines if line.strip() and line.startswith(" ")]
        self._width = self._spaces(widths)

    def _spaces(self, widths: list[int]) -> int:
        """How many spaces are one level in the edit. What fits the file's own unit is taken to be in it."""
        own = len(self.of_file) if self.of_file and self.of_file != "\t" else 0
        if own and all(width % own == 0 for width in widths):
            return own
        return next((n for n in (4, 2, 3) if all(width % n == 0 for width in widths)), 1)

    def converted(self, white: str) -> str:
        if self.of_file is None or not white:
            return white
        columns = sum(self._width if character == "\t" else 1 for character in white)
        levels, rest = divmod(columns, self._width)
        return self.of_file * levels + " " * rest

    def less(self, white: str, removed: str) -> str:
        """`white` without as many levels as `removed` has."""
        if self.of_file is None:
            return white[: max(0, len(white) - len(removed))]
        columns = sum(self._width if character == "\t" else 1 for character in removed)
        levels = -(-columns // self._width)
        return white[: max(0, len(white) - levels * len(self.of_file))]


def _paired(line: str, before: str, there: str, leads: dict[str, str], units: _Units) -> str:
    left = (
        lead(there) if lead(line) == lead(before) else _lead_like(lead(line), leads, (before, there), units)
    )
    right = _trail(there) if _trail(line) == _trail(before) else _trail(line)
    return left + line.strip() + right


def _lead_like(white: str, leads: dict[str, str], anchor: tuple[str, str], units: _Units) -> str:
    """How the file would indent a line that the edit indents by `white`."""
    if white in leads:
        return leads[white]
    in_edit, in_file = lead(anchor[0]), lead(anchor[1])
    if white.startswith(in_edit):
        return in_file + units.converted(white[len(in_edit) :])
    if in_edit.startswith(white):
        return units.less(in_file, in_edit[len(white) :])
    return units.converted(white)


def _pairs(old: list[str], new: list[str]) -> dict[int, int]:
    """Which line of `new` (by index) stands for which line of `old`."""
    before, after = [line.strip() for line in old], [line.strip() for line in new]
    if len(before) * len(after) > _PAIRS_MAX:
        return _pairs_at_ends(before, after)
    pairs: dict[int, int] = {}
    for _, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if i2 - i1 == j2 - j1:
            pairs |= dict(zip(range(j1, j2), range(i1, i2), strict=True))
    return pairs


def _pairs_at_ends(before: list[str], after: list[str]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    pairs |= {n: n for n in range(head)}
    for n in range(1, shorter - head + 1):
        if before[-n] != after[-n]:
            break
        pairs[len(after) - n] = len(before) - n
    return pairs
