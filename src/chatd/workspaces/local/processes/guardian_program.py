"""The guardian's own process; see guardian.py. Run with the mark as its argument. Standard library only."""

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

# A process may start another one while we look, so we look until none is found.
ROUNDS_MAX = 200
PAUSE_SECONDS = 0.02


def watch(lines: Iterable[str]) -> set[int]:
    """The groups that are left when no more lines come: `+group` begins one, `-group` ends it."""
    groups: set[int] = set()
    for line in lines:
        with suppress(ValueError):
            group = int(line[1:])
            if line.startswith("+"):
                groups.add(group)
            else:
                groups.discard(group)
    return groups


def marked(mark: bytes) -> Iterator[int]:
    """Processes whose environment has the mark, where the system shows environments."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in path.read_bytes().split(b"\0") and int(path.parent.name) != os.getpid():
                yield int(path.parent.name)


def main() -> None:
    mark = sys.argv[1].encode()
    # The group of the server may be signalled as a whole; this process is there for what comes after.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    for group in watch(sys.stdin):
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for _ in range(ROUNDS_MAX):
        found = list(marked(mark))
        if not found:
            return
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
