"""Files that git would not list by itself: those of repositories inside of the workspace, such as submodules,
and those that the user has under version control although a `.gitignore` excludes them.
"""

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from chatd.workspaces.local.checkpoints.git import Git, GitError, lines, words
from chatd.workspaces.local.checkpoints.repository import Repository

# That one snapshot begins to keep. Those that it knows are listed with all other files.
REPOSITORIES_MAX = 32
# Names of the files of one repository; one with more is not kept.
NAMES_BYTES_MAX = 8 * 1024 * 1024
_LIST = ("ls-files", "-z", "--others", "--exclude-standard")
_TRACKED = ("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
_NO_MATCH = 1


class Inner(Struct, frozen=True):
    """A repository and its files, both from the root of the workspace; the first ends with a slash."""

    place: str
    files: tuple[str, ...]


def tracked_though_ignored(git: Git, root: Path) -> Sequence[str]:
    """Only the list of files in the user's index is read, not their settings. Where it cannot be: none."""
    index = root / ".git" / "index"
    if index.is_symlink() or not index.is_file() or index.parent.is_symlink():
        return ()
    try:
        return words(git(*_TRACKED, index=index, bytes_max=NAMES_BYTES_MAX))
    except GitError:
        return ()


def look_inside(
    git: Git, repository: Repository, root: Path, places: Sequence[str]
) -> tuple[list[Inner], list[str]]:
    """What is in these repositories and in those inside of them, and which cannot be looked into."""
    found: list[Inner] = []
    left: list[str] = []
    waiting = deque(places)
    while waiting:
        place = waiting.popleft()
        if len(found) >= REPOSITORIES_MAX or (names := _names(git, repository, root, place)) is None:
            left.append(place)
            continue
        waiting.extend(name for name in names if name.endswith("/"))
        found.append(Inner(place, tuple(name for name in names if not name.endswith("/"))))
    return found, left


def _names(git: Git, repository: Repository, root: Path, place: str) -> list[str] | None:
    directory = root / place
    if os.path.realpath(directory) != str(directory):
        return None
    try:
        # An index that does not exist has no files, so all of them are others.
        printed = git(*_LIST, work_tree=directory, index=repository.no_index, bytes_max=NAMES_BYTES_MAX)
        names = [place + name for name in words(printed)]
        # The rules above it count as well, as they will when it is listed with all others.
        ignored = git(
            "check-ignore", "-z", "--no-index", "--stdin",
            given=lines([f"./{name}" for name in names]), expected=(0, _NO_MATCH),
        )  # fmt: skip
    except GitError:
        return None
    return sorted(set(names) - {name.removeprefix("./") for name in words(ignored)})
