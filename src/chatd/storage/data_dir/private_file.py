"""Files in the data directory that only their owner can read: tokens, keys, addresses."""

import os
from pathlib import Path

from chatd.kit.ids import new_id


def write_private(file: Path, text: str, *, replace: bool) -> None:
    """No other user of the machine can read the file at any instant, and it is never half written.

    Without `replace` the first of several writers wins: the others get a FileExistsError.
    """
    fresh = file.with_name(f".{file.name}.{new_id()}")
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(handle)
        if replace:
            fresh.rename(file)
        else:
            os.link(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)
