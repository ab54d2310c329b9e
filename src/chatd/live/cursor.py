"""Cursors: exactly what a viewer knows, as a word that they hand back.

The place in the episode comes first and the rest after it, so that the word for a part is the same
for all viewers up to that point.
"""

import re
from zlib import crc32

from msgspec import Struct
from msgspec.structs import astuple

from chatd.domain.ids import ChatId
from chatd.storage.reads.chunks import OPENING, HistoryPlace

CURSOR_LENGTH_MAX = 300

_CURSOR = re.compile(r"\d{1,19}(?:\.\d{1,19}){13}", re.ASCII)


class Known(Struct, kw_only=True):
    """What one viewer was sent. Every event advances it."""

    # How much of the running episode was told, and which one it is; attempt 0 when none has spoken.
    seq: int = 0
    preview_history: int = 0
    preview_attempt: int = 0
    # All messages up to this version of the history, from the first one they were told on...
    history: int = 0
    # ...and the rows beyond it up to this place: by revision, tombstones first, then by id. But while a
    # viewer is told what was there when it came, it is the messages of that version up to this id.
    revision: int = 0
    saved: int = 0
    message: int = 0
    queue: int = 0
    # The version of the pending retry that is shown; 0 when none is.
    retry: int = 0
    # Which status, counted from 1.
    status: int = 0
    # The version of the history whose failure is shown; 0 when none is.
    error: int = 0
    # Check sums of what the chat waits for, and of what it is about; 0 for nothing.
    waiting: int = 0
    details: int = 0

    @property
    def place(self) -> HistoryPlace:
        return self.revision, self.saved, self.message

    @property
    def opening(self) -> bool:
        """The viewer is still being sent the history as it was when it came."""
        return self.saved == OPENING

    @property
    def since(self) -> int:
        """The newest revision that is known whole; -1 for a viewer who knows nothing."""
        if not self.history and not self.revision:
            return -1
        return max(self.history, self.revision - 1)


def cursor_end(chat_id: ChatId, known: Known) -> str:
    """The cursor without its beginning, the place in the episode."""
    _, *rest = astuple(known)
    return ".".join(map(str, (*rest, check_sum(chat_id.encode()))))


def cursor_of(chat_id: ChatId, known: Known) -> str:
    return f"{known.seq}.{cursor_end(chat_id, known)}"


def known_at(chat_id: ChatId, cursor: str) -> Known | None:
    """What a viewer with this cursor knows. None when it is not one of ours, or of another chat."""
    if not _CURSOR.fullmatch(cursor):
        return None
    *numbers, owner = map(int, cursor.split("."))
    if owner != check_sum(chat_id.encode()) or max(numbers) > 2**63 - 1:
        return None
    return Known(**dict(zip(Known.__struct_fields__, numbers, strict=True)))


def check_sum(data: bytes) -> int:
    """Never 0: that stands for nothing."""
    return crc32(data) + 1
