"""Checkpoints: the files of a workspace as they were before an agent changed them.

One is taken before the first change of each step, and named by the message with the calls of that step. To
restore a message is to bring back the files as they were before that message: with a user's message, before
the whole turn.
"""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from chatd.domain.ids import ChatId, MessageId, Micros

# Of one chat. Older ones are forgotten.
CHECKPOINTS_MAX = 200
DIFF_BYTES_MAX = 3 * 1024 * 1024
# That are named in an answer. More are brought back, and counted.
LISTED_FILES_MAX = 2000


class Trouble(StrEnum):
    """Why something could not be done, for programs."""

    # There is no checkpoint from this message on, or no restore that could be undone.
    NOTHING_KEPT = "nothing_kept"
    NOTHING_TO_UNDO = "nothing_to_undo"
    # It took too long, the disk is full, git failed, others are at it: the message says which.
    FAILED = "checkpoint_failed"


class CheckpointError(Exception):
    """It could not be done, or not to its end. The message is for a person."""

    def __init__(self, message: str, trouble: Trouble = Trouble.FAILED) -> None:
        super().__init__(message)
        self.trouble = trouble


class Deed(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class ChangedFile(Struct, frozen=True, kw_only=True):
    # Relative to the root of the workspace.
    path: str
    deed: Deed


class LeftFile(Struct, frozen=True, kw_only=True):
    """A file that a restore has left as it was."""

    path: str
    reason: str


class Restored(Struct, frozen=True, kw_only=True):
    """What a restore does to the files, seen from before it."""

    files: tuple[ChangedFile, ...] = ()
    # That were brought back and are not among `files`.
    more_files: int = 0
    # Could not be brought back.
    failed: tuple[LeftFile, ...] = ()


class Diff(Struct, frozen=True, kw_only=True):
    files: tuple[ChangedFile, ...] = ()
    more_files: int = 0
    # A unified diff; empty when it would be too long.
    text: str = ""
    too_long: bool = False


class Checkpoint(Struct, frozen=True, kw_only=True):
    message_id: MessageId
    taken_at: Micros


class Kept(Struct, frozen=True, kw_only=True):
    # The oldest first.
    checkpoints: tuple[Checkpoint, ...] = ()
    can_undo: bool = False
    # A restore was cut off in the middle: it can be repeated, or undone.
    interrupted: bool = False


Announce = Callable[[Restored], Awaitable[None]]


class Checkpoints(Protocol):
    """All of them raise CheckpointError."""

    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        """Keep the files as they are now. One that is taken for the same message again changes nothing."""
        ...

    async def settled(self) -> None:
        """Returns when no restore is under way."""
        ...

    async def kept(self, chat_id: ChatId) -> Kept: ...

    async def plan(self, chat_id: ChatId, message_id: MessageId | None, path: str | None = None) -> Restored:
        """What `restore` would do now."""
        ...

    async def restore(
        self, chat_id: ChatId, message_id: MessageId | None, announce: Announce, path: str | None = None
    ) -> Restored:
        """Bring the files back as they were before this message; None: before the last restore.

        With a path only this file; to undo it brings back whatever has changed since, as for all files.
        `announce` is told what is about to be done, if that is anything, before the first file is touched.
        If it raises, nothing is done. A restore that the process did not survive can be repeated or undone.
        """
        ...

    async def diff(
        self, chat_id: ChatId, since: MessageId, until: MessageId | None, path: str | None = None
    ) -> Diff:
        """What was changed from before one message to before another, or to now; in one file or in all."""
        ...
