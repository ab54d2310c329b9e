"""How the C library gives memory back: a server that was busy for a minute must not look busy for a day."""

import ctypes
from collections.abc import Mapping

# The numbers of <malloc.h>.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

_OPTIONS: Mapping[int, int] = {
    # Each thread that decodes something large would else keep an arena of its own, rarely given back.
    _ARENA_MAX: 1,
    # Without this, glibc raises the threshold to the largest block that was ever freed, up to 32 MiB, and
    # blocks below it are cut from the heap, where one small neighbour keeps all of them.
    _MMAP_THRESHOLD: 128 * 1024,
    _TRIM_THRESHOLD: 1024 * 1024,
}


def give_memory_back() -> None:
    """Does nothing where the C library is not glibc. Must be called before the first thread is started."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    for option, value in _OPTIONS.items():
        mallopt(option, value)
