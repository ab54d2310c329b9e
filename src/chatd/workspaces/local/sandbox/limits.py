"""Limits of one command, set by the shell that starts it: of every process, and of all of them together."""

import resource
from collections.abc import Mapping

from msgspec import Struct

KIB = 1024
MIB = 1024**2
GIB = 1024**3
# What `ulimit -f` counts in, by POSIX.
_BLOCK_BYTES = 512


class Limits(Struct, frozen=True, kw_only=True):
    """Generous: they are there for what runs away, not for what is large."""

    # Of a command with all that it starts.
    processes: int = 1024
    memory_bytes: int = 16 * GIB
    # Of each of its processes.
    process_memory_bytes: int = 8 * GIB
    open_files: int = 8192
    file_bytes: int = 16 * GIB
    cpu_seconds: int = 4 * 3600
    # Commands are stopped when the disk of the workspace has less than this left.
    disk_free_bytes_min: int = GIB // 4


def prelude(limits: Limits, *, count_processes: bool) -> str:
    """Shell lines that set the limits of the shell and of all that it starts, for good.

    A limit that is lower already stays: it cannot be raised. `-u` is what bash calls the number of processes,
    `-p` what other shells do. Memory is what a process may write to (RLIMIT_DATA), not its address space, of
    which some runtimes reserve far more than they use.
    """
    wanted: Mapping[str, tuple[int, int, int]] = {
        "-n": (resource.RLIMIT_NOFILE, limits.open_files, 1),
        "-f": (resource.RLIMIT_FSIZE, limits.file_bytes, _BLOCK_BYTES),
        "-t": (resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        "-d": (resource.RLIMIT_DATA, limits.process_memory_bytes, KIB),
        "-c": (resource.RLIMIT_CORE, 0, _BLOCK_BYTES),
    }
    lines = [
        f"ulimit {option} {value // unit}"
        for option, (kind, value, unit) in wanted.items()
        if _is_lower(value, resource.getrlimit(kind)[1])
    ]
    if count_processes:
        count = limits.processes
        lines.append(f"ulimit -u {count} 2>/dev/null || ulimit -p {count} 2>/dev/null")
    # When memory runs out, the kernel ends what has the highest score first: not the server.
    lines.append("{ echo 800 >/proc/self/oom_score_adj; } 2>/dev/null")
    return "\n".join(lines)


def in_words(limits: Limits, *, confined: bool) -> tuple[str, ...]:
    """What is limited, for people. Of all processes together only a sandbox can be limited."""
    together = (
        f"{limits.processes} processes of a command",
        f"{_size(limits.memory_bytes)} of memory of a command",
    )
    return (
        *(together if confined else ()),
        f"{_size(limits.process_memory_bytes)} of memory of a process",
        f"{limits.open_files} open files of a process",
        f"{_size(limits.file_bytes)} of a file",
        f"{limits.cpu_seconds} seconds of CPU time of a process",
        f"commands are stopped when less than {_size(limits.disk_free_bytes_min)} of the disk are free",
    )


def _is_lower(value: int, hard: int) -> bool:
    return hard == resource.RLIM_INFINITY or value <= hard


def _size(count: int) -> str:
    return f"{count / GIB:g} GiB"
