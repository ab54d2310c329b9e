"""The data directory: private to its owner, and used by one server at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chatd.errors import Unusable

LOCK_FILE = "chatd.lock"


def open_data_dir(path: Path) -> Path:
    """The directory, made if there is none. Raises Unusable when it cannot hold our files."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        # Also when the path, or something above it, is a file.
        raise Unusable(
            f"Cannot make the data directory {path}: {error.strerror}. Choose another one with --data-dir."
        ) from error
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise Unusable(
            f"Cannot read and write in the data directory {path}. "
            "Give this user the right to, or choose another one with --data-dir."
        )
    return path


@contextmanager
def locked(directory: Path, database: Path | None = None) -> Iterator[None]:
    """No other server runs on this directory while the block lasts. The system ends it with the process.

    A `database` is locked as well, wherever it lies and by whatever path it is reached: it may be in this
    directory and another server's by its address.
    """
    with ExitStack() as held:
        held.enter_context(_held(directory / LOCK_FILE, f"The data directory {directory}"))
        if database is not None:
            real = database.resolve()
            held.enter_context(_held(real.with_name(real.name + ".lock"), f"The database {database}"))
        yield


@contextmanager
def _held(lock: Path, what: str) -> Iterator[None]:
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Unusable(f"Cannot open the lock file {lock}: {error.strerror}.") from error
    try:
        _take(handle, what)
        _sign(handle, lock)
        yield
    finally:
        # The file stays: removing it would let two others hold one lock each.
        os.close(handle)


def _sign(handle: int, lock: Path) -> None:
    """Leave our number for the next one, who will want to know."""
    try:
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode("ascii"))
    except OSError as error:
        raise Unusable(
            f"Cannot write the lock file {lock}: {error.strerror}. Is there room on the disk?"
        ) from error


def _take(handle: int, what: str) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(handle, 20).decode("ascii", "replace").strip()
        process = f"process {holder}" if holder else "another process"
        raise Unusable(
            f"{what} is in use by another chatd ({process}). "
            "Stop that one, or choose another directory with --data-dir."
        ) from error
    except OSError as error:
        raise Unusable(f"{what} cannot be locked: {error.strerror}. It must be on a local disk.") from error
