"""Which path of a table an address is at (pure). Found segment by segment, however many paths there are."""

from collections.abc import Iterable
from typing import NamedTuple


class Found(NamedTuple):
    """`/chats/{chat_id}`, and what stands for `chat_id`."""

    path: str
    parameters: dict[str, str]


class _Place:
    """What may come after the segments so far. `names`: which parameters its path has, and where."""

    __slots__ = ("below", "below_any", "names", "path")

    def __init__(self) -> None:
        self.below: dict[str, _Place] = {}
        self.below_any: _Place | None = None
        self.path: str | None = None
        self.names: tuple[tuple[str, int], ...] = ()


class Paths:
    """A word of its own goes before a parameter: `/chats/watch` is never the chat `watch`."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._root = _Place()
        self._length_max = 0
        for path in paths:
            self._add(path)

    def find(self, address: str) -> Found | None:
        # One more than there can be: the rest of an address of a million slashes is not looked at.
        segments = address.split("/", self._length_max)
        place = _found(self._root, segments, 0)
        if place is None or place.path is None:
            return None
        return Found(place.path, {name: segments[at] for name, at in place.names})

    def _add(self, path: str) -> None:
        place, names = self._root, []
        segments = path.split("/")
        for at, segment in enumerate(segments):
            if segment.startswith("{"):
                names.append((segment.strip("{}"), at))
                place.below_any = place.below_any or _Place()
                place = place.below_any
            else:
                place = place.below.setdefault(segment, _Place())
        place.path, place.names = path, tuple(names)
        self._length_max = max(self._length_max, len(segments))


def _found(place: _Place, segments: list[str], at: int) -> _Place | None:
    """As deep as the table is, and no deeper. A word that leads nowhere is tried as a parameter."""
    if at == len(segments):
        return place if place.path is not None else None
    segment = segments[at]
    below = place.below.get(segment)
    found = _found(below, segments, at + 1) if below is not None else None
    if found is None and segment and place.below_any is not None:
        found = _found(place.below_any, segments, at + 1)
    return found
