"""How much is kept of files, and how long that may take."""

from msgspec import Struct

from chatd.workspaces.checkpoints import CHECKPOINTS_MAX, DIFF_BYTES_MAX

MIB, GIB = 1024**2, 1024**3


class Bounds(Struct, frozen=True, kw_only=True):
    """Tests have smaller ones."""

    # Larger files are not kept.
    file_bytes_max: int = 16 * MIB
    # Of one checkpoint: its files, and what is new in them since the one before.
    files_max: int = 200_000
    new_bytes_max: int = 512 * MIB
    # Of one chat, and of all chats of a workspace, on the disk.
    kept_max: int = CHECKPOINTS_MAX
    repository_bytes_max: int = 2 * GIB
    # The database is on the same disk, and comes first.
    free_bytes_min: int = GIB
    diff_bytes_max: int = DIFF_BYTES_MAX

    # A step waits for its checkpoint, but not for ever. What git has learned in this time is not lost.
    take_seconds_max: float = 30.0
    # After an attempt that failed and took longer than this, none is made for a while.
    slow_seconds: float = 5.0
    pause_seconds: float = 120.0
    look_seconds_max: float = 60.0
    restore_seconds_max: float = 600.0
    # How many callers may wait to look or to restore. Agents wait for the same repository.
    waiting_max: int = 4


BOUNDS = Bounds()
