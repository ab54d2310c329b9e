"""Diffs of several files, within one bound (pure)."""

from collections.abc import Iterable

from chatd.domain.part import Json
from chatd.workspaces.files import EditedFile

# Of all files of one call together.
DIFF_CHARACTERS_MAX = 32 * 1024
REST_LEFT_OUT = "[The rest of the diff is left out: it is too long.]\n"


def bounded(edited: Iterable[EditedFile], characters_max: int = DIFF_CHARACTERS_MAX) -> list[Json]:
    """Each file with its diff, as long as there is room: whole lines only."""
    diffs: list[Json] = []
    room = characters_max
    for each in edited:
        diff = shortened_diff(each.diff, room)
        diffs.append({"path": each.path, "diff": diff})
        room = max(0, room - len(diff))
    return diffs


def shortened_diff(diff: str, characters_max: int) -> str:
    if len(diff) <= characters_max:
        return diff
    end = diff.rfind("\n", 0, characters_max) + 1
    return diff[:end] + REST_LEFT_OUT
