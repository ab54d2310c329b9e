"""Programs of ours, ripgrep and git: started such that they reach only what they are for, and ended.

What Landlock takes from a thread it does not get back, and its children have no more. So each program is
started by a thread of its own. On a kernel without Landlock it is started as it is.
"""

import os
import resource
import stat
import subprocess
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress

from msgspec import Struct

from chatd.workspaces.local.programs import landlock


class Reach(Struct, frozen=True, kw_only=True):
    """Files, and directories with all that is below them: paths, or descriptors of what is open already."""

    readable: tuple[str | int, ...]
    writable: tuple[str, ...] = ()
    # What a system may have or not, such as libraries.
    readable_if_there: tuple[str, ...] = ()


def start_restricted(
    start: Callable[[], subprocess.Popen[bytes]], reach: Reach, *, memory_bytes_max: int
) -> subprocess.Popen[bytes]:
    """What `start` starts. It opens nothing itself: its thread may not. Raises OSError."""
    made: list[subprocess.Popen[bytes]] = []
    failures: list[OSError] = []

    def launch() -> None:
        try:
            if landlock.is_available():
                _restrict(reach)
            made.append(start())
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=launch, name="start a program")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    (process,) = made
    with suppress(OSError, ValueError):
        resource.prlimit(process.pid, resource.RLIMIT_AS, (memory_bytes_max, memory_bytes_max))
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _restrict(reach: Reach) -> None:
    with ExitStack() as opened:

        def descriptor(place: str | int) -> int:
            if isinstance(place, int):
                return place
            fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
            opened.callback(os.close, fd)
            return fd

        there = (each for each in reach.readable_if_there if os.path.exists(each))  # noqa: PTH110
        readable = [descriptor(each) for each in (*reach.readable, *there)]
        writable = [descriptor(each) for each in reach.writable]
        landlock.restrict_thread(
            directories=[fd for fd in readable if _is_directory(fd)],
            files=[fd for fd in readable if not _is_directory(fd)],
            writable_directories=[fd for fd in writable if _is_directory(fd)],
            writable_files=[fd for fd in writable if not _is_directory(fd)],
        )


def _is_directory(fd: int) -> bool:
    return stat.S_ISDIR(os.fstat(fd).st_mode)
