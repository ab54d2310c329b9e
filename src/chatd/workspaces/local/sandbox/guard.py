"""The guard of a sandboxed command: looks now and then at what it uses, with all that it has started.

The kernel limits each process (`limits.py`). The number of processes it does not limit for root, and the
memory of all of them together only where the server may make control groups, which is rare.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from chatd.workspaces.local.sandbox.limits import GIB, Limits

GUARD_SECONDS = 0.25
# How many processes are measured; a command that has more is over the limit of processes long before.
_MEASURED_MAX = 4096

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def broken_limit(first_process: int | None, written: Sequence[Path], limits: Limits) -> str | None:
    """Why the command has to be stopped; None when it keeps to its limits or has ended.

    `written` are directories that it writes to: the workspace, and what we keep for it, beside our database.
    `first_process` is the first one in the sandbox: through it the processes of the sandbox are seen. Without
    a sandbox there is none, and only the disks are looked at.
    """
    if first_process is not None and (broken := _broken_inside(first_process, limits)):
        return broken
    if any(_free_bytes(path) < limits.disk_free_bytes_min for path in written):
        return f"The disk has less than {limits.disk_free_bytes_min / GIB:g} GiB left."
    return None


def _broken_inside(first_process: int, limits: Limits) -> str | None:
    inside = Path("/proc", str(first_process), "root", "proc")
    try:
        ids = [path.name for path in inside.iterdir() if path.name.isdigit()]
    except OSError:
        return None  # It has just ended.
    if len(ids) > limits.processes:
        return f"It ran more than {limits.processes} processes at once."
    if _memory_bytes(inside, ids[:_MEASURED_MAX]) > limits.memory_bytes:
        return f"It used more than {limits.memory_bytes / GIB:g} GiB of memory."
    return None


def _free_bytes(path: Path) -> int:
    try:
        disk = os.statvfs(path)
    except OSError:
        return sys.maxsize  # It is gone; that is not for us to say.
    return disk.f_bavail * disk.f_frsize


def _memory_bytes(inside: Path, ids: list[str]) -> int:
    """Of all processes together. What they map from files is not counted: it can be read again."""
    return sum(_resident_bytes(inside / each / "statm") for each in ids)


def _resident_bytes(path: Path) -> int:
    try:
        _, resident, shared, *_ = path.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0  # It has just ended.
    return (int(resident) - int(shared)) * _PAGE_BYTES
