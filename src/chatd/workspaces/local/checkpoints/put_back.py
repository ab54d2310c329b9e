"""Writes and removes files below a directory, and never beyond it.

Each directory on the way is opened by itself and must not be a symbolic link. So it does not help a process
of the agent to exchange one while we are at work. What is put in place is there whole, or not at all.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from secrets import token_hex
from stat import S_ISDIR, S_ISREG

from chatd.workspaces.local.checkpoints.repository import SCRATCH

_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_RDONLY | os.O_CLOEXEC
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
# With O_PATH it need not be readable.
_HAS_PATHS = hasattr(os, "O_PATH")
_ANYTHING = os.O_PATH if _HAS_PATHS else os.O_RDONLY | os.O_NONBLOCK
# While files in it are exchanged, its owner needs a directory like this.
_OWNER_WORKS = 0o700
# A file system without hard links.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Place:
    """The directory, and the permissions of directories that are made below it."""

    def __init__(self, root: Path, mode_of_directory: Callable[[str], int]) -> None:
        self._root = root
        self._mode_of_directory = mode_of_directory

    def put_file(self, path: str, data: bytes, mode: int, *, replaces: bool) -> None:
        """The file with this content. If it replaces nothing, and something is there, FileExistsError."""
        name = PurePosixPath(path).name
        with self._parent(path, make=True) as parent:
            scratch = f"{SCRATCH}{token_hex(8)}"
            file = os.open(scratch, _NEW_FILE, 0o600, dir_fd=parent)
            try:
                with os.fdopen(file, "wb") as opened:
                    opened.write(data)
                    os.fchmod(opened.fileno(), mode)
                if replaces:
                    os.replace(scratch, name, src_dir_fd=parent, dst_dir_fd=parent)
                else:
                    _move_to_free(parent, scratch, name)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(scratch, dir_fd=parent)

    def put_link(self, path: str, target: str, *, replaces: bool) -> None:
        """The symbolic link, likewise. Where it leads is not looked at."""
        name = PurePosixPath(path).name
        with self._parent(path, make=True) as parent:
            if not replaces:
                _free(parent, name)
                os.symlink(target, name, dir_fd=parent)
                return
            scratch = f"{SCRATCH}{token_hex(8)}"
            os.symlink(target, scratch, dir_fd=parent)
            try:
                os.replace(scratch, name, src_dir_fd=parent, dst_dir_fd=parent)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(scratch, dir_fd=parent)

    def remove(self, path: str) -> None:
        """The file or link, if it is there, and the directories that are empty without it."""
        parts = PurePosixPath(path).parts
        try:
            with self._parent(path) as parent:
                os.unlink(parts[-1], dir_fd=parent)
        except FileNotFoundError:
            return
        with suppress(OSError):
            for count in range(len(parts) - 1, 0, -1):
                with self._parent(str(PurePosixPath(*parts[:count]))) as parent:
                    os.rmdir(parts[count - 1], dir_fd=parent)

    def set_mode(self, path: str, mode: int) -> None:
        """Of a file or a directory, if it is there."""
        name = PurePosixPath(path).name
        with suppress(FileNotFoundError), self._parent(path) as parent:
            file = os.open(name, _ANYTHING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
            try:
                kind = os.fstat(file).st_mode
                if S_ISREG(kind) or S_ISDIR(kind):
                    # The descriptor names what was looked at, whatever is put in its place meanwhile.
                    os.chmod(f"/proc/self/fd/{file}" if _HAS_PATHS else file, mode)  # noqa: PTH101
            finally:
                os.close(file)

    def remove_scratch(self, folder: str) -> None:
        """What a restore that was cut off has left in this directory."""
        with suppress(OSError), self._parent(f"{folder}/x" if folder else "x") as here:
            for name in os.listdir(here):  # noqa: PTH208 - a descriptor, not a path
                if name.startswith(SCRATCH):
                    os.unlink(name, dir_fd=here)

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[int]:
        parts = PurePosixPath(path).parts
        if not parts or parts[0] == "/" or ".." in parts:
            raise OSError(errno.EINVAL, "not below the directory", path)
        here = os.open(self._root, os.O_DIRECTORY | os.O_RDONLY | os.O_CLOEXEC)
        try:
            for count, part in enumerate(parts[:-1], 1):
                if make:
                    self._make(here, part, "/".join(parts[:count]))
                below = os.open(part, _DIRECTORY, dir_fd=here)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def _make(self, here: int, part: str, path: str) -> None:
        with suppress(FileExistsError):
            # The rest of the permissions follows when all files are in place.
            os.mkdir(part, self._mode_of_directory(path) | _OWNER_WORKS, dir_fd=here)


def _move_to_free(parent: int, scratch: str, name: str) -> None:
    _free(parent, name)
    try:
        os.link(scratch, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=parent, follow_symlinks=False)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from error
        os.replace(scratch, name, src_dir_fd=parent, dst_dir_fd=parent)


def _free(parent: int, name: str) -> None:
    """An empty directory makes room for a file."""
    with suppress(OSError):
        os.rmdir(name, dir_fd=parent)
