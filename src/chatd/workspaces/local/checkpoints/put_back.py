"""Writes and removes files below a directory, and never beyond it.

Each directory on the way is opened by itself and must not be a symbolic link. So it does not help a process
of the agent to exchange one while we are at work.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from secrets import token_hex
from stat import S_ISDIR

_DIRECTORY = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_RDONLY | os.O_CLOEXEC
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def put_file(root: Path, path: str, data: bytes, *, executable: bool) -> None:
    """The file with this content, instead of whatever was there; not instead of a directory."""
    name = PurePosixPath(path).name
    with _parent(root, path, make=True) as parent:
        scratch = _scratch(name)
        file = os.open(scratch, _NEW_FILE, 0o600, dir_fd=parent)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(data)
                os.fchmod(opened.fileno(), 0o755 if executable else 0o644)
            _move(parent, scratch, name)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(scratch, dir_fd=parent)
            raise


def put_link(root: Path, path: str, target: str) -> None:
    """The symbolic link, instead of whatever was there. Where it leads is not looked at."""
    name = PurePosixPath(path).name
    with _parent(root, path, make=True) as parent:
        scratch = _scratch(name)
        os.symlink(target, scratch, dir_fd=parent)
        _move(parent, scratch, name)


def remove(root: Path, path: str) -> None:
    """The file or link, if it is there, and the directories that are empty without it."""
    parts = PurePosixPath(path).parts
    try:
        with _parent(root, path) as parent:
            os.unlink(parts[-1], dir_fd=parent)
        for count in range(len(parts) - 1, 0, -1):
            with _parent(root, str(PurePosixPath(*parts[:count]))) as parent:
                os.rmdir(parts[count - 1], dir_fd=parent)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def _scratch(name: str) -> str:
    return f".{name[:100]}.{token_hex(8)}.chatd"


def _move(parent: int, scratch: str, name: str) -> None:
    """A directory in its place is only removed when it is empty."""
    with suppress(FileNotFoundError):
        if S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            os.rmdir(name, dir_fd=parent)
    os.replace(scratch, name, src_dir_fd=parent, dst_dir_fd=parent)


@contextmanager
def _parent(root: Path, path: str, *, make: bool = False) -> Iterator[int]:
    parts = PurePosixPath(path).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise OSError(f"{path!r} is not below the directory")
    here = os.open(root, os.O_DIRECTORY | os.O_RDONLY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = _enter(here, part, make=make)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def _enter(here: int, part: str, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=here)
    return os.open(part, _DIRECTORY, dir_fd=here)
