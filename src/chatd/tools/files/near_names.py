"""What a model may have meant by the path of a file that does not exist."""

from difflib import get_close_matches
from posixpath import join, split

from chatd.workspaces.files import FileError, Files

NAMES_MAX = 3
# Comparing takes time that grows with the square of the length: of more names and longer ones, the beginning.
_LISTED_MAX = 500
_CHARACTERS_MAX = 64


async def near_paths(files: Files, path: str) -> list[str]:
    """Paths beside it that are almost the same, best first; none when its directory does not exist."""
    above, name = split(path)
    try:
        listing = await files.list(above or ".", limit=_LISTED_MAX)
    except FileError:
        return []
    names = {_key(entry.name): entry.name for entry in listing.entries}
    return [join(above, names[each]) for each in get_close_matches(_key(name), names, n=NAMES_MAX)]


def _key(name: str) -> str:
    return name.casefold()[:_CHARACTERS_MAX]
