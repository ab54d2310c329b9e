"""Paths that stay in a directory.

A path is never checked as a string and used afterwards: a directory could be replaced by a symbolic link in
between. Each part is opened from the directory before it, which stays open, and links are followed by us.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

from chatd.workspaces.files import FileError, Problem
from chatd.workspaces.local.files.failures import as_file_error
from chatd.workspaces.local.files.openat2 import open_beneath

LINKS_MAX = 40
# As the kernel has it, in bytes.
PATH_BYTES_MAX = 4096
PARTS_MAX = 512

_O_PATH = getattr(os, "O_PATH", os.O_RDONLY)
_DIRECTORY = _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Neither waits for the other end of a pipe nor takes over a terminal.
READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
# Files that the kernel makes up: without end, without size, and full of what belongs to the server.
_MADE_UP = ("/proc", "/sys")


class Place(Struct, frozen=True, kw_only=True):
    """Where a path leads, with all symbolic links followed: an open directory and a name in it."""

    # The descriptor of the directory. It is open as long as the place is in use.
    directory: int
    # The names from the root down to the directory.
    above: tuple[str, ...]
    # Directories below it that do not exist yet.
    missing: tuple[str, ...]
    # "." is the directory itself.
    name: str
    # None: there is nothing of this name.
    stat: os.stat_result | None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names from the root down to what is meant."""
        return (*self.above, *self.missing, *(() if self.name == "." else (self.name,)))


class Root:
    """The directory of a workspace. It is opened anew for each use: it may be removed and made again."""

    def __init__(self, path: Path) -> None:
        self.path = os.path.realpath(path)
        # How the directory may be called in absolute paths.
        self._names = tuple({_parts(self.path), _parts(os.path.abspath(path))})  # noqa: PTH100
        self._made_up = frozenset(_made_up_devices())

    def absolute(self, place: Place) -> str:
        return os.path.join(self.path, *place.parts)  # noqa: PTH118

    @contextmanager
    def opened(self) -> Iterator[int]:
        try:
            fd = os.open(self.path, _DIRECTORY)
        except OSError as error:
            raise FileError(
                Problem.UNAVAILABLE,
                f"The workspace directory {self.path} cannot be opened: {error.strerror}.",
            ) from error
        try:
            yield fd
        finally:
            os.close(fd)

    @contextmanager
    def place(self, path: str) -> Iterator[Place]:
        """Where the path leads. Raises FileError for one that leads out of the root."""
        parts = self._below(path)
        with self.opened() as root, ExitStack() as kept:
            try:
                yield self._quickly(root, parts, kept) or _Walk(self, root, path, kept).to(parts)
            except OSError as error:
                raise as_file_error(error, path) from error

    def open_regular(self, place: Place, path: str) -> int:
        """The descriptor of a file for reading. Raises FileError for everything else."""
        self.expect_file(place, path)
        fd = os.open(place.name, READING, dir_fd=place.directory)
        try:
            # What was looked at may have been replaced since.
            self._expect_regular(os.fstat(fd), path)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def open_directory(self, place: Place, path: str) -> int:
        if place.stat is None:
            raise missing(path)
        if not stat.S_ISDIR(place.stat.st_mode):
            raise FileError(Problem.NOT_DIRECTORY, f"{path} is not a directory.")
        self._expect_real(place.stat, path)
        return os.open(place.name, READING | os.O_DIRECTORY, dir_fd=place.directory)

    def expect_file(self, place: Place, path: str) -> os.stat_result:
        if place.stat is None:
            raise missing(path)
        self._expect_regular(place.stat, path)
        return place.stat

    def _expect_regular(self, found: os.stat_result, path: str) -> None:
        if stat.S_ISDIR(found.st_mode):
            raise FileError(Problem.IS_DIRECTORY, f"{path} is a directory, not a file.")
        if not stat.S_ISREG(found.st_mode):
            raise FileError(Problem.NOT_REGULAR, f"{path} is a device, a pipe or a socket, not a file.")
        self._expect_real(found, path)

    def _expect_real(self, found: os.stat_result, path: str) -> None:
        if found.st_dev in self._made_up:
            raise FileError(Problem.NOT_REGULAR, f"{path} is made up by the kernel and is not opened.")

    def _below(self, path: str) -> tuple[str, ...]:
        """The parts of the path from the root on. What is above the root by its very words is refused."""
        if not path or "\0" in path:
            raise FileError(Problem.BAD_PATH, "A path has at least one character, and no NUL.")
        try:
            size = len(os.fsencode(path))
        except UnicodeEncodeError as error:
            raise FileError(Problem.BAD_PATH, "The path is no text that a file name can have.") from error
        parts = path.split("/")
        if size > PATH_BYTES_MAX or len(parts) > PARTS_MAX:
            raise FileError(Problem.BAD_PATH, f"The path is longer than {PATH_BYTES_MAX} bytes.")
        if not path.startswith("/"):
            return tuple(part for part in parts if part not in ("", "."))
        return self.inside(path, path)

    def inside(self, absolute: str, path: str) -> tuple[str, ...]:
        """The parts of an absolute path from the root on. `path` is what the error names."""
        parts = _parts(absolute)
        for names in self._names:
            if parts[: len(names)] == names:
                return parts[len(names) :]
        raise outside(path, self.path)

    def _quickly(self, root: int, parts: tuple[str, ...], kept: ExitStack) -> Place | None:
        """One system call, where there are no symbolic links and the system has it."""
        if not parts or ".." in parts:
            return None
        *above, name = parts
        try:
            directory = open_beneath(root, "/".join(above) or ".", _O_PATH | os.O_DIRECTORY)
        except OSError:
            return None
        kept.callback(os.close, directory)
        try:
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except OSError:
            return None
        if stat.S_ISLNK(found.st_mode):
            return None
        return Place(directory=directory, above=tuple(above), missing=(), name=name, stat=found)


class _Walk:
    """One part after the other, with the directories on the way held open."""

    def __init__(self, root: Root, fd: int, path: str, kept: ExitStack) -> None:
        self._root = root
        self._path = path
        self._kept = kept
        self._held: list[tuple[str, int]] = [("", fd)]
        # Links that were followed, and parts that changed under our hands.
        self._detours = 0

    def to(self, parts: tuple[str, ...]) -> Place:
        ahead = list(reversed(parts))
        while ahead:
            part = ahead.pop()
            if part == "..":
                if len(self._held) == 1:
                    raise outside(self._path, self._root.path)
                self._held.pop()
                continue
            found = self._look(part)
            if found is None:
                return self._missing(part, ahead)
            if stat.S_ISLNK(found.st_mode):
                ahead += reversed(self._target(part))
            elif not ahead:
                return self._place(part, found)
            elif not self._enter(part, found):
                ahead.append(part)
        return self._place(".", os.fstat(self._here))

    @property
    def _here(self) -> int:
        return self._held[-1][1]

    def _place(self, name: str, found: os.stat_result | None, missing: tuple[str, ...] = ()) -> Place:
        above = tuple(name for name, _ in self._held[1:])
        return Place(directory=self._here, above=above, missing=missing, name=name, stat=found)

    def _look(self, part: str) -> os.stat_result | None:
        try:
            return os.stat(part, dir_fd=self._here, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _missing(self, part: str, ahead: list[str]) -> Place:
        rest = [part, *reversed(ahead)]
        if ".." in rest:
            raise missing(self._path)
        return self._place(rest[-1], None, tuple(rest[:-1]))

    def _target(self, part: str) -> tuple[str, ...]:
        self._detour()
        target = os.readlink(part, dir_fd=self._here)
        if not target.startswith("/"):
            return tuple(each for each in target.split("/") if each not in ("", "."))
        inside = self._root.inside(target, self._path)
        del self._held[1:]
        return inside

    def _enter(self, part: str, found: os.stat_result) -> bool:
        """Go down. False: it was replaced since we looked, so look again."""
        if not stat.S_ISDIR(found.st_mode):
            raise FileError(Problem.NOT_DIRECTORY, f"{self._path}: {part} is not a directory.")
        try:
            fd = os.open(part, _DIRECTORY, dir_fd=self._here)
        except (FileNotFoundError, NotADirectoryError):
            self._detour()
            return False
        except OSError as error:
            raise as_file_error(error, self._path) from error
        self._kept.callback(os.close, fd)
        self._held.append((part, fd))
        return True

    def _detour(self) -> None:
        self._detours += 1
        if self._detours > LINKS_MAX:
            raise FileError(Problem.BAD_PATH, f"{self._path} goes through more than {LINKS_MAX} links.")


def missing(path: str) -> FileError:
    return FileError(Problem.MISSING, f"There is no file {path}.")


def outside(path: str, root: str) -> FileError:
    return FileError(
        Problem.OUTSIDE,
        f"{path} leads out of the workspace {root}. Use a path inside of it; relative paths start there.",
    )


def _parts(absolute: str) -> tuple[str, ...]:
    """`..` stays: what it means depends on links."""
    return tuple(part for part in absolute.split("/") if part not in ("", "."))


def _made_up_devices() -> Iterator[int]:
    usual = os.stat("/").st_dev  # noqa: PTH116
    for mount in _MADE_UP:
        try:
            device = os.stat(mount).st_dev  # noqa: PTH116
        except OSError:
            continue
        # Otherwise nothing is mounted there.
        if device != usual:
            yield device
