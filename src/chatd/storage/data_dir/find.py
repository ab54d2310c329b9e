"""Finds data directories of other servers on this machine, by the lock file that each of them has."""

import os
from collections import deque
from itertools import islice
from pathlib import Path

from chatd.storage.data_dir.data_dir import LOCK_FILE

# A start must not wait for a walk through all of a large tree. The nearest ones are looked at first.
DIRECTORIES_MAX = 2000


def is_data_dir(path: Path) -> bool:
    return os.path.lexists(path / LOCK_FILE)


def data_dir_around(path: Path) -> Path | None:
    """The data directory that this is, or lies in."""
    return next(filter(is_data_dir, (path, *path.parents)), None)


def data_dir_inside(path: Path) -> Path | None:
    """One that lies in this directory, if it is among the nearest `DIRECTORIES_MAX`. No link is followed."""
    waiting, left = deque([path]), DIRECTORIES_MAX - 1
    while waiting:
        directory = waiting.popleft()
        if is_data_dir(directory):
            return directory
        try:
            with os.scandir(directory) as entries:
                inside = (Path(each.path) for each in entries if each.is_dir(follow_symlinks=False))
                found = list(islice(inside, left))
        except OSError:
            continue  # What the server cannot read, its agents cannot read either.
        waiting.extend(found)
        left -= len(found)
    return None
