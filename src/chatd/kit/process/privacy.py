"""What the programs that a server starts could learn of it by way of the system.

A command without a sandbox runs as the same user. Its own environment has none of the server's keys, but the
server's is a file that every process of that user may read.
"""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

# The number of <sys/prctl.h>.
_SET_DUMPABLE = 4
_OF_ALL_PROGRAMS = 2


def keep_to_ourselves() -> None:
    """Closes environment and memory of this process to others of its user, and hands on no open file.

    What root runs can still look. Where the system has no such thing, that part does nothing.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    for descriptor in _open_descriptors():
        # Our own are for us alone in any case. These were left open by who started us.
        if descriptor > _OF_ALL_PROGRAMS:
            with suppress(OSError):
                os.set_inheritable(descriptor, False)  # noqa: FBT003 - the name of the function says it


def _open_descriptors() -> list[int]:
    for place in (Path("/proc/self/fd"), Path("/dev/fd")):
        with suppress(OSError):
            return [int(path.name) for path in place.iterdir() if path.name.isdecimal()]
    return []
