"""What git takes the names of programs from, in a workspace: hooks, settings, and the files that these name.

Of every repository that is found there: that of the workspace itself, nested and bare ones, submodules, and
working copies whose `.git` is a file. Only names and settings are read; git itself is not run for it.
"""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

# Directories that are looked into, those near to the root first, and repositories that are found.
DIRECTORIES_MAX = 10_000
# Names of one directory, beside those that say that it is a repository. A command can make millions of them.
NAMES_MAX = 10_000
REPOSITORIES_MAX = 32
# Of a file of settings, and of one that says where a repository is.
SETTINGS_BYTES_MAX = 64 * 1024
# How long what was found is taken for true.
FRESH_SECONDS = 10.0

_BARE = frozenset({"HEAD", "objects", "refs"})
_TELLING = (".git", *sorted(_BARE))
# Of a git directory, if they are there. Where `commondir` points to, all settings and hooks come from.
_SETTINGS = ("config", "config.worktree", "commondir")


class RunByGit(Struct, frozen=True, kw_only=True):
    """Absolute paths inside of the workspace."""

    # The git directories themselves.
    directories: tuple[Path, ...] = ()
    # Files and directories that are not to be changed.
    fixed: tuple[Path, ...] = ()
    # Directories of hooks that do not exist, and are not to come into being with something in them.
    missing: tuple[Path, ...] = ()

    def around(self, root: Path) -> frozenset[Path]:
        """The directories from the root down to what is fixed: renamed, they would take it away."""
        return frozenset(
            parent
            for path in (*self.directories, *self.fixed, *self.missing)
            for parent in (path, *path.parents)
            if parent != root and parent.is_relative_to(root) and parent not in self.missing
        )


NOTHING = RunByGit()
# How blocking work is done.
InThread: TypeAlias = Callable[[Callable[[], RunByGit]], Awaitable[RunByGit]]


class GitLook:
    """Looks again when what was seen is no longer fresh."""

    def __init__(self, root: Path, in_thread: InThread = asyncio.to_thread) -> None:
        self._root = root
        self._in_thread = in_thread
        self._seen = NOTHING
        self._fresh_until = 0.0
        self._looking = asyncio.Lock()

    async def look(self) -> RunByGit:
        async with self._looking:
            loop = asyncio.get_running_loop()
            if loop.time() >= self._fresh_until:
                self._seen = await self._in_thread(partial(find_run_by_git, self._root))
                self._fresh_until = loop.time() + FRESH_SECONDS
            return self._seen


def without_new_commondirs(before: RunByGit) -> tuple[Path, ...]:
    """Remove those that were made meanwhile, and tell which: git would take all settings from elsewhere.

    Nothing else in a git directory has to be writable and says so much; it cannot be mounted away, since git
    takes an empty one for an error.
    """
    made = [path for each in before.directories if (path := each / "commondir") not in before.fixed]
    removed = [path for path in made if os.path.lexists(path)]
    for path in removed:
        with suppress(OSError):
            path.unlink()
    return tuple(removed)


def find_run_by_git(root: Path, *, names_max: int = NAMES_MAX) -> RunByGit:
    found = _Found(root)
    for _ in zip(range(REPOSITORIES_MAX), _repositories(root, found, names_max), strict=False):
        pass
    return RunByGit(
        directories=tuple(dict.fromkeys(found.directories)),
        fixed=tuple(dict.fromkeys(found.fixed)),
        missing=tuple(dict.fromkeys(found.missing)),
    )


class _Found:
    def __init__(self, root: Path) -> None:
        self._root = root
        self.directories: list[Path] = []
        self.fixed: list[Path] = []
        self.missing: list[Path] = []

    def add_pointer(self, file: Path) -> Path | None:
        """A file in place of `.git`; the directory that it names, if that is in the workspace."""
        self.fixed.append(file)
        words = _text(file).strip()
        if not words.startswith("gitdir:"):
            return None
        return self._inside(file.parent / words.removeprefix("gitdir:").strip())

    def add_directory(self, directory: Path, work_tree: Path | None) -> None:
        self.directories.append(directory)
        self.fixed += [path for name in _SETTINGS if _is_plain(path := directory / name)]
        self._add_hooks(directory / "hooks")
        for section, name, value in _settings(_text(directory / "config")):
            if (section, name) == ("core", "hookspath") and work_tree is not None:
                self._add_hooks(work_tree / os.path.expanduser(value))  # noqa: PTH111 - it may be relative
            elif section.startswith("include") and name == "path":
                self._add_file(directory / os.path.expanduser(value))  # noqa: PTH111

    def _add_hooks(self, path: Path) -> None:
        if (inside := self._inside(path)) is not None and not path.is_symlink():
            (self.fixed if inside.is_dir() else self.missing).append(inside)

    def _add_file(self, path: Path) -> None:
        if (inside := self._inside(path)) is not None and _is_plain(inside):
            self.fixed.append(inside)

    def _inside(self, path: Path) -> Path | None:
        """Without symbolic links; None: it is elsewhere, where commands cannot write, or the root itself."""
        real = Path(os.path.realpath(path))
        return real if real != self._root and real.is_relative_to(self._root) else None


def _repositories(root: Path, found: _Found, names_max: int) -> Iterator[None]:
    """One step for each, those near to the root first."""
    waiting = deque([root])
    for _ in range(DIRECTORIES_MAX):
        if not waiting:
            return
        directory = waiting.popleft()
        names = _names(directory, names_max)
        if ".git" in names:
            yield from _dot_git(directory, names[".git"], found)
        elif names.keys() >= _BARE and directory != root:
            found.add_directory(directory, None)
            yield
            continue
        inner = (directory / name for name, is_dir in names.items() if is_dir and name != ".git")
        waiting.extend(islice(inner, DIRECTORIES_MAX - len(waiting)))


def _dot_git(work_tree: Path, is_directory: bool, found: _Found) -> Iterator[None]:  # noqa: FBT001
    path = work_tree / ".git"
    directory = path if is_directory else found.add_pointer(path) if _is_plain(path) else None
    if directory is not None and directory.is_dir():
        found.add_directory(directory, work_tree)
        yield
        yield from _inner(directory, found)
    else:
        yield


def _inner(directory: Path, found: _Found) -> Iterator[None]:
    """Git directories of submodules, which can have such of their own, and of other working copies."""
    waiting = deque([directory / "modules", directory / "worktrees"])
    for _ in range(REPOSITORIES_MAX * 4):
        if not waiting:
            return
        inner = waiting.popleft()
        names = _names(inner)
        if "HEAD" in names:
            found.add_directory(inner, None)
            yield
            waiting.append(inner / "modules")
        else:
            waiting.extend(inner / name for name, is_dir in names.items() if is_dir)


def _names(directory: Path, names_max: int = NAMES_MAX) -> dict[str, bool]:
    """What is in there, and whether each is a directory. Symbolic links are none."""
    try:
        with os.scandir(directory) as entries:
            names = {entry.name: entry.is_dir(follow_symlinks=False) for entry in islice(entries, names_max)}
    except OSError:
        return {}
    if len(names) == names_max:
        # What tells of a repository may be among the names that were not read.
        names |= {
            name: _is_directory(directory / name) for name in _TELLING if os.path.lexists(directory / name)
        }
    return names


def _is_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _text(path: Path) -> str:
    try:
        if not _is_plain(path):
            return ""
        with path.open("rb") as file:
            return file.read(SETTINGS_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""


def _settings(text: str) -> Iterator[tuple[str, str, str]]:
    """Section, name and value of each line, as far as they are written plainly."""
    section = ""
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("["):
            head, _, words = words[1:].partition("]")
            section = head.split()[0].strip('"').lower() if head.split() else ""
            words = words.strip()
        name, equals, value = words.partition("=")
        if equals and not name.startswith(("#", ";")):
            yield section, name.strip().lower(), value.strip().strip('"')
