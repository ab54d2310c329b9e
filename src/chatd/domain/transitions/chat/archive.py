"""A user puts a chat away, or takes it back. Everything else about it stays."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.decision.change import Access, Change, Execution
from chatd.domain.decision.locked import LockedChat


class Archive(Struct, frozen=True):
    pass


class Unarchive(Struct, frozen=True):
    pass


def archive(locked: LockedChat, _: Archive) -> Change:
    """Guests may not read it any more: whoever watches is asked for anew."""
    return replace(_with_flag(locked, archived=True), access=Access())


def unarchive(locked: LockedChat, _: Unarchive) -> Change:
    return _with_flag(locked, archived=False)


def _with_flag(locked: LockedChat, *, archived: bool) -> Change:
    chat = locked.chat
    return Change(
        execution=Execution(
            status=chat.status,
            archived=archived,
            last_error=chat.last_error,
            deadline_at=chat.deadline_at,
            compaction_requested_at=chat.compaction_requested_at,
            finish_reason=chat.finish_reason,
        )
    )
