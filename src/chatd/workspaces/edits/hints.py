"""Why a text was not found: what is almost the same, or whether the edit was made already (pure)."""

from collections import Counter, defaultdict
from difflib import SequenceMatcher

from chatd.kit.text import shortened

LINES_SHOWN_MAX = 5
_LINE_CHARACTERS_MAX = 120
# A line that is there more often says nothing about the place.
_COMMON = 50
# Of a multi-line text, at least this share of lines has to be the same.
_SHARE = 0.5
# For a single line, which is compared character by character.
_ALIKE = 0.8
_LINES_COMPARED_MAX = 3000
_CHARACTERS_COMPARED_MAX = 300


def hint(text: str, old_text: str, new_text: str) -> str | None:
    """At most one: a near match comes before the suspicion that the texts are swapped."""
    lines, old = text.splitlines(), old_text.splitlines()
    near = _near_lines(lines, old) if len(old) > 1 else _near_line(lines, old_text)
    if near is not None:
        return _differences(lines, old, near)
    if new_text.strip() and new_text.replace("\r\n", "\n") in text.replace("\r\n", "\n"):
        return (
            "But new_text is already there: the edit was made before, or old_text and new_text are swapped."
        )
    return None


def _near_lines(lines: list[str], old: list[str]) -> int | None:
    """The first line of the place that most lines of `old` point to."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if key := _key(line):
            places[key].append(number)
    votes: Counter[int] = Counter()
    telling = [(index, key) for index, line in enumerate(old) if (key := _key(line))]
    for index, key in telling:
        if len(found := places.get(key, [])) <= _COMMON:
            votes.update(number - index for number in found if number >= index)
    if not votes:
        return None
    best = max(votes.values())
    place = min(place for place, count in votes.items() if count == best)
    return place if best >= len(telling) * _SHARE else None


def _near_line(lines: list[str], old_text: str) -> int | None:
    wanted = old_text.strip()[:_CHARACTERS_COMPARED_MAX]
    key = _key(wanted)
    if not key:
        return None
    best, place = _ALIKE, None
    for number, line in enumerate(lines[:_LINES_COMPARED_MAX]):
        there = line.strip()
        if key in _key(there):
            return number
        if len(there) > 2 * len(wanted) or len(wanted) > 2 * len(there):
            continue
        matcher = SequenceMatcher(None, there[:_CHARACTERS_COMPARED_MAX], wanted)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, place = matcher.ratio(), number
    return place


def _differences(lines: list[str], old: list[str], place: int) -> str:
    there = lines[place : place + len(old)]
    differing = [
        f"line {place + 1 + index} is {_shown(line)}, not {_shown(wanted)}"
        for index, (line, wanted) in enumerate(zip(there, old, strict=False))
        if line.strip() != wanted.strip()
    ]
    if len(there) < len(old):
        differing.append(f"the file ends after line {len(lines)}")
    more = len(differing) - LINES_SHOWN_MAX
    words = "; ".join(differing[:LINES_SHOWN_MAX]) + (f"; and {more} more" if more > 0 else "")
    return f"It almost matched at line {place + 1}, but {words}."


def _shown(line: str) -> str:
    return f"`{shortened(line.strip(), _LINE_CHARACTERS_MAX)}`"


def _key(line: str) -> str:
    """Lines with the same key are alike: neither white space nor letter case counts."""
    return "".join(line.split()).casefold()
