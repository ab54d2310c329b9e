"""Checkpoints: the files of a workspace as they were before an agent changed them.

One is taken before the first change of each step, and named by the message with the calls of that step. To
restore a message is to bring back the files as they were before that message: with a user's message, before
the whole turn.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from chatd.domain.ids import ChatId, MessageId

# Of one chat. Older ones are forgotten.
CHECKPOINTS_MAX = 200
DIFF_BYTES_MAX = 3 * 1024 * 1024
CHANGED_FILES_MAX = 5000


class CheckpointError(Exception):
    """It could not be done. The message is for a person."""


class Deed(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class ChangedFile(Struct, frozen=True, kw_only=True):
    # Relative to the root of the workspace.
    path: str
    deed: Deed


class Restored(Struct, frozen=True, kw_only=True):
    """What a restore did to the files, seen from before it."""

    files: tuple[ChangedFile, ...]


class Diff(Struct, frozen=True, kw_only=True):
    files: tuple[ChangedFile, ...]
    # A unified diff; empty when it would be too long.
    text: str
    too_long: bool = False


class Checkpoints(Protocol):
    async def take(self, chat_id: ChatId, message_id: MessageId) -> None:
        """Keep the files as they are now. One that is taken for the same message again changes nothing."""
        ...

    async def kept(self, chat_id: ChatId) -> Sequence[MessageId]:
        """The messages before which the files are kept, the oldest first."""
        ...

    async def restore(self, chat_id: ChatId, message_id: MessageId | None) -> Restored:
        """Bring the files back as they were before this message; None: before the last restore.

        Raises CheckpointError.
        """
        ...

    async def diff(self, chat_id: ChatId, since: MessageId, until: MessageId | None) -> Diff:
        """What was changed from before one message to before another, or to now. Raises CheckpointError."""
        ...

    async def forget(self, chat_id: ChatId) -> None:
        """The chat is gone."""
        ...
