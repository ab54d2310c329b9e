"""openat2(2): open a path below a directory, with the kernel itself refusing whatever leads elsewhere."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

# The same number on every architecture.
_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def _syscall() -> Callable[[int, int, bytes, object, int], int]:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_How), ctypes.c_size_t)
    call.restype = ctypes.c_long
    return call


def open_beneath(directory: int, path: str, flags: int) -> int:
    """A file descriptor of what is there. Raises OSError: ELOOP when a part of the path is a symbolic link.

    ENOSYS: this system cannot do it.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "openat2 is a system call of Linux")
    how = _How(flags | os.O_CLOEXEC, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    fd = _syscall()(_OPENAT2, directory, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
    if fd < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return fd
