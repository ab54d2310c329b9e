"""A call whose arguments come piece by piece, each with its place (pure)."""

import re
from itertools import pairwise
from typing import Final

from chatd.domain.part import Json
from chatd.providers.dialects.gemini.frames import FunctionCall, PartialArg

# One step of a JSON path: .name, [0], ['name'] or ["name"].
_STEP: Final = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]""")


class BadPathError(ValueError):
    """A piece whose place cannot be found."""


class PartialCall:
    def __init__(self) -> None:
        self.name = ""
        self.id: str | None = None
        self.signature: str | None = None
        self.args: dict[str, Json] = {}
        # Places whose text goes on with the next piece.
        self._unfinished: set[str] = set()

    def take(self, call: FunctionCall, signature: str | None) -> None:
        """Raises BadPathError."""
        self.name = self.name or call.name or ""
        self.id = self.id or call.id
        self.signature = self.signature or signature
        if isinstance(call.args, dict):
            self.args.update(call.args)
        for piece in call.partial_args or ():
            self._put(piece)

    def _put(self, piece: PartialArg) -> None:
        steps = _steps(piece.json_path)
        place: Json = self.args
        for step, following in pairwise(steps):
            place = _enter(place, step, {} if isinstance(following, str) else [])
        before = _enter(place, steps[-1], None)
        value = _value(piece)
        if piece.json_path in self._unfinished and isinstance(before, str) and isinstance(value, str):
            value = before + value
        place[steps[-1]] = value
        if piece.will_continue:
            self._unfinished.add(piece.json_path)
        else:
            self._unfinished.discard(piece.json_path)


def _value(piece: PartialArg) -> Json:
    if piece.string_value is not None:
        return piece.string_value
    if piece.bool_value is not None:
        return piece.bool_value
    number = piece.number_value
    # Every number comes as a fraction, also whole ones.
    return int(number) if number is not None and number.is_integer() else number


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise BadPathError(path)
        index = step[2]
        steps.append(int(index) if index is not None else step[1] or step[3] or step[4] or "")
        at = step.end()
    if not path.startswith("$") or not steps or isinstance(steps[0], int):
        raise BadPathError(path)
    return steps


def _enter(place: Json, step: str | int, empty: Json) -> Json:
    """What stands at this step, which is made if it is the next one. Nothing is left out in between."""
    if isinstance(step, str) and isinstance(place, dict):
        return place.setdefault(step, empty)
    if isinstance(step, int) and isinstance(place, list) and step <= len(place):
        if step == len(place):
            place.append(empty)
        return place[step]
    raise BadPathError(str(step))
