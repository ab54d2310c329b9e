"""Whether what is printed is what a page shows: `…` stands for any text, and alone for any lines (pure)."""

import re
from collections.abc import Sequence
from functools import cache

ANYTHING = "…"


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Each piece between two lines of dots is looked for behind the one before, at the first place."""
    first, *others = _pieces(expected)
    if not others:
        return len(first) == len(printed) and _fits(first, printed)
    *between, last = others
    if not _fits(first, printed):
        return False
    at = len(first)
    for piece in between:
        found = next((place for place in range(at, len(printed) + 1) if _fits(piece, printed[place:])), None)
        if found is None:
            return False
        at = found + len(piece)
    rest = printed[at:]
    return len(last) <= len(rest) and _fits(last, rest[len(rest) - len(last) :])


def _pieces(expected: Sequence[str]) -> list[list[str]]:
    pieces: list[list[str]] = [[]]
    for line in expected:
        if line.strip() == ANYTHING:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def _fits(piece: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the lines begin with this piece."""
    return len(piece) <= len(printed) and all(map(_fits_line, piece, printed))


def _fits_line(expected: str, printed: str) -> bool:
    return _pattern(expected.rstrip()).fullmatch(printed) is not None


@cache
def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.split(ANYTHING))))
