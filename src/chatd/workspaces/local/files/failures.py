"""What the system says went wrong with a file, in words that say what to do."""

import errno
from collections.abc import Mapping

from chatd.workspaces.files import FileError, Problem

_PROBLEMS: Mapping[int, tuple[Problem, str]] = {
    errno.ENOENT: (Problem.MISSING, "There is no file {path}."),
    errno.EISDIR: (Problem.IS_DIRECTORY, "{path} is a directory, not a file."),
    errno.ENOTDIR: (Problem.NOT_DIRECTORY, "{path}: a part of it is a file, not a directory."),
    errno.EACCES: (Problem.DENIED, "{path}: permission denied."),
    errno.EPERM: (Problem.DENIED, "{path}: permission denied."),
    errno.EROFS: (Problem.DENIED, "{path} is on a file system that is read-only."),
    errno.ENAMETOOLONG: (Problem.BAD_PATH, "{path}: a name in it is too long."),
    errno.ELOOP: (Problem.BAD_PATH, "{path} was replaced by a symbolic link meanwhile. Try again."),
    errno.ENXIO: (Problem.NOT_REGULAR, "{path} is a device, a pipe or a socket, not a file."),
    errno.ENODEV: (Problem.NOT_REGULAR, "{path} is a device, a pipe or a socket, not a file."),
    errno.ENOSPC: (Problem.DISK_FULL, "{path} was not written: the disk is full."),
    errno.EDQUOT: (Problem.DISK_FULL, "{path} was not written: the disk quota is used up."),
    errno.EFBIG: (Problem.TOO_LARGE, "{path} was not written: the system allows no file of this size."),
}
_PATH_CHARACTERS_MAX = 300


def as_file_error(error: OSError, path: str) -> FileError:
    shown = path if len(path) <= _PATH_CHARACTERS_MAX else f"{path[:_PATH_CHARACTERS_MAX]}…"
    problem, words = _PROBLEMS.get(error.errno or 0, (Problem.FAILED, "{path}: {reason}."))
    return FileError(problem, words.format(path=shown, reason=error.strerror or str(error)))
