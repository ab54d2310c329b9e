"""Where the server of a data directory listens, so that commands on this machine find it.

A file in that directory, private to its owner. It goes when the server stops. One that a killed server left
behind names a process that is gone, and counts for nothing.
"""

import os
from pathlib import Path

ADDRESS_FILE = "server-address"
# An address, the number of a process, and two line ends.
FILE_BYTES_MAX = 1024


def read_address(directory: Path) -> str | None:
    """Where the running server of this directory listens. None when none runs, or the file is unreadable."""
    try:
        with (directory / ADDRESS_FILE).open(encoding="utf-8") as file:
            address, process, *_ = file.read(FILE_BYTES_MAX).splitlines()
        return address if _is_alive(int(process)) else None
    except (OSError, ValueError):
        return None


def _is_alive(process: int) -> bool:
    if process <= 0:
        return False  # Such numbers mean groups of processes.
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # It is another user's.
    except OSError:
        return False
    return True
