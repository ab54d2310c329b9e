"""Checkpoints as the wire has them."""

from msgspec import Struct


class Checkpoint(Struct, frozen=True, kw_only=True):
    # The message with the calls that changed files.
    message_id: int
    created_at: str


class Checkpoints(Struct, frozen=True, kw_only=True):
    # The oldest first.
    checkpoints: tuple[Checkpoint, ...] = ()
    can_undo: bool = False
    # A restore was cut off in the middle. It can be repeated, or undone.
    interrupted: bool = False


class ChangedFile(Struct, frozen=True, kw_only=True):
    path: str
    # added, changed or removed
    deed: str


class LeftFile(Struct, frozen=True, kw_only=True):
    path: str
    reason: str


class Restored(Struct, frozen=True, kw_only=True):
    files: tuple[ChangedFile, ...] = ()
    # How many more there are than `files` lists.
    more_files: int = 0
    # Were left as they are.
    failed: tuple[LeftFile, ...] = ()
    dry_run: bool = False


class Diff(Struct, frozen=True, kw_only=True):
    files: tuple[ChangedFile, ...] = ()
    more_files: int = 0
    # Empty when it would be too long.
    diff: str = ""
    too_long: bool = False
    # Files of a step in between were not kept.
    incomplete: bool = False
