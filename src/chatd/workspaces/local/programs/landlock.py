"""Landlock: a thread gives up its right to reach outside of some directories, and so do its children.

Programs that walk a tree open what they find by its name; a directory that is replaced by a symbolic link
in that moment would lead them out. The kernel then refuses.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from functools import cache

# The same numbers on every architecture.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_VERSION = 1
_PATH_BENEATH = 1
_SET_NO_NEW_PRIVS = 38

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
# Reading and every kind of writing of the first version. Not execution: the program is started afterwards.
_HANDLED = (1 << 13) - 1 & ~_EXECUTE


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def is_available() -> bool:
    return sys.platform == "linux" and bool(_libc().syscall(_CREATE_RULESET, None, 0, _VERSION) > 0)


def restrict_thread(
    *,
    directories: Sequence[int],
    files: Sequence[int],
    writable_directories: Sequence[int] = (),
    writable_files: Sequence[int] = (),
) -> None:
    """From now on this thread reads only what is below these directories, and these files.

    It writes only to the writable ones. For good: the thread has to end afterwards. Raises OSError.
    """
    ruleset = _Ruleset(_HANDLED)
    fd = _called(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    try:
        for directory in directories:
            _allow(fd, directory, _READ_FILE | _READ_DIR)
        for file in files:
            _allow(fd, file, _READ_FILE)
        for directory in writable_directories:
            _allow(fd, directory, _HANDLED)
        for file in writable_files:
            _allow(fd, file, _READ_FILE | _WRITE_FILE)
        if _libc().prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        _called(_RESTRICT_SELF, fd, 0)
    finally:
        os.close(fd)


def _allow(ruleset: int, parent: int, access: int) -> None:
    rule = _PathBeneath(access, parent)
    _called(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)


def _called(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "landlock")
    return result
