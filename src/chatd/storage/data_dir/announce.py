"""A server says where it listens, for commands on its machine, and takes that back when it stops."""

import os
from pathlib import Path

import structlog

from chatd.storage.data_dir.private_file import write_private
from chatd.storage.data_dir.server_address import ADDRESS_FILE

log = structlog.get_logger()


def write_address(directory: Path, address: str) -> None:
    """A server can do without: where it cannot be written, that is logged and no more."""
    file = directory / ADDRESS_FILE
    try:
        write_private(file, f"{address}\n{os.getpid()}\n", replace=True)
    except OSError as error:
        log.warning("address.not_written", file=str(file), error=error.strerror)


def forget_address(directory: Path) -> None:
    """To be called by the process that holds the lock of the directory: the address in it is its own then."""
    try:
        (directory / ADDRESS_FILE).unlink(missing_ok=True)
    except OSError as error:
        log.warning("address.not_removed", error=error.strerror)
